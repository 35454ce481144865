#include "scenarios/validation/error_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainsim {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double slope_per_decade(const std::vector<PredictionError>& errors) {
  const auto n = static_cast<double>(errors.size());
  double mean_x = 0.0, mean_y = 0.0;
  for (const auto& [error, size] : errors) {
    mean_x += std::log10(size) / n;
    mean_y += error / n;
  }
  double covariance = 0.0, variance = 0.0;
  for (const auto& [error, size] : errors) {
    const double x = std::log10(size) - mean_x;
    covariance += x * (error - mean_y);
    variance += x * x;
  }
  constexpr double kSameSize = 1e-12;
  return variance > kSameSize ? covariance / variance : 0.0;
}

}  // namespace

ErrorSummary summarize(const std::vector<PredictionError>& errors) {
  ErrorSummary summary;
  if (errors.empty()) return summary;
  summary.n = errors.size();
  std::vector<double> sizes;
  for (const PredictionError& one : errors) {
    summary.bias += one.error / static_cast<double>(errors.size());
    summary.mean += std::abs(one.error) / static_cast<double>(errors.size());
    sizes.push_back(std::abs(one.error));
  }
  summary.median = median(sizes);
  summary.p90 = quantile(sizes, 0.9);
  summary.slope_per_decade = slope_per_decade(errors);
  return summary;
}

nlohmann::ordered_json summary_json(const ErrorSummary& summary) {
  return {{"n", summary.n},           {"bias", summary.bias}, {"mean", summary.mean},
          {"median", summary.median}, {"p90", summary.p90},   {"slope_per_decade", summary.slope_per_decade}};
}

std::string in_percent(double share) { return fmt::format("{:.1f}", 100.0 * share); }

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(place, 1, values.size()) - 1];
}

}  // namespace trainsim
