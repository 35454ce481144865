#include "simulator/engine/step_rule.hpp"

#include <cmath>

namespace trainsim {
namespace {

constexpr std::uint32_t kMostMeasuredSteps = 64;
constexpr std::uint32_t kFewestForMean = 4;  // a standard error of fewer says nothing
constexpr double kStandardErrorOfMean = 0.005;
constexpr double kTurnsOfTheSlowest = 5.0;  // fewer turns of a tenant are no sample of it
constexpr double kAgreement = 1e-9;

double rounded_to_nine_digits(double value) {
  const double magnitude = std::pow(10.0, 8.0 - std::floor(std::log10(value)));
  return std::round(value * magnitude) / magnitude;
}

bool agree(double a, double b) {
  if (a <= 0.0 || b <= 0.0) return a == b;
  const double x = rounded_to_nine_digits(a);
  const double y = rounded_to_nine_digits(b);
  return std::abs(x - y) <= 1.5 * kAgreement * std::max(x, y);
}

double relative_standard_error(const std::vector<double>& step_ends_s, std::uint32_t last) {
  double mean = 0.0;
  double squares = 0.0;
  for (std::uint32_t k = 1; k <= last; ++k) {
    const double duration = step_ends_s[k] - step_ends_s[k - 1];
    const double delta = duration - mean;
    mean += delta / k;
    squares += delta * (duration - mean);
  }
  return std::sqrt(squares / (last - 1) / last) / mean;
}

}  // namespace

std::optional<MeasuredSteps> measured_steps(const std::vector<double>& step_ends_s, const StepRule& rule) {
  const auto played = static_cast<std::uint32_t>(step_ends_s.size());
  if (played < 3) return std::nullopt;
  const std::uint32_t last = played - 2;
  if (rule.fixed_steps) return last >= *rule.fixed_steps ? std::optional<MeasuredSteps>({1, last}) : std::nullopt;
  if (last >= kMostMeasuredSteps) return MeasuredSteps{1, last};
  if (rule.has_timed_conditions) {
    const bool covers_conditions =
        step_ends_s[last] - step_ends_s.front() >= kTurnsOfTheSlowest * rule.slowest_condition_s;
    const bool is_settled = covers_conditions && last >= kFewestForMean &&
                            relative_standard_error(step_ends_s, last) <= kStandardErrorOfMean;
    return is_settled ? std::optional<MeasuredSteps>({1, last}) : std::nullopt;
  }
  const double measured = step_ends_s[last] - step_ends_s[last - 1];
  const double next = step_ends_s[last + 1] - step_ends_s[last];
  return agree(measured, next) ? std::optional<MeasuredSteps>({last, last}) : std::nullopt;
}

}  // namespace trainsim
