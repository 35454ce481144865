#include "scenarios/validation/validated_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace trainsim {
namespace {

constexpr std::size_t kFew = 10;  // for a quantile

struct Runs {
  std::vector<double> distances;  // |ln(measured / predicted)|
  std::vector<double> gpus, parameters;
  std::set<std::string> sources;
};

double half_width(const std::vector<double>& distances) {
  const auto n = static_cast<double>(distances.size());
  double mean = 0.0;
  for (const double distance : distances) mean += distance / n;
  const double reached = distances.size() < kFew ? *std::ranges::max_element(distances) * (1.0 + 1.0 / n)
                                                 : quantile(distances, interval_rules().quantile);
  return std::min(reached, interval_rules().most_of_mean * mean);
}

Extent extent_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  return {*low, *high};
}

}  // namespace

std::vector<ValidatedKind> kinds_of(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes) {
  std::map<RunKind, Runs> by_kind;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!outcomes[r].has_run()) continue;
    Runs& runs = by_kind[outcomes[r].kind];
    const ReplayedRow replayed{&rows[r], &outcomes[r]};
    runs.distances.push_back(std::abs(std::log(replayed.measured_s() / outcomes[r].predicted_s)));
    runs.gpus.push_back(rows[r].number("n_gpus").value_or(1.0));
    runs.parameters.push_back(outcomes[r].parameters);
    runs.sources.insert(rows[r].source());
  }
  std::vector<ValidatedKind> kinds;
  for (const auto& [kind, runs] : by_kind) {
    kinds.push_back({kind,
                     runs.distances.size(),
                     half_width(runs.distances),
                     extent_of(runs.gpus),
                     extent_of(runs.parameters),
                     {runs.sources.begin(), runs.sources.end()}});
  }
  return kinds;
}

Coverage coverage(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes,
                  const std::vector<ValidatedKind>& kinds) {
  Coverage result;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RowOutcome& outcome = outcomes[r];
    if (!outcome.has_run()) continue;
    const auto interval = interval_of(outcome.predicted_s, outcome.kind, rows[r].number("n_gpus").value_or(1.0),
                                      outcome.parameters, kinds);
    const double measured_s = ReplayedRow{&rows[r], &outcome}.measured_s();
    ++result.runs;
    result.inside += measured_s >= interval.low_s && measured_s <= interval.high_s ? 1U : 0U;
  }
  return result;
}

std::string validated_yaml(const std::vector<ValidatedKind>& kinds) {
  std::string text =
      "# Errors of predictions on measured runs, by kind. Written by `trainsim validate FILE --intervals PATH`; not "
      "edited.\nkinds:\n";
  for (const ValidatedKind& one : kinds) {
    text += fmt::format(
        "  - {{stack: {}, accelerator: {}, workload: {}, runs: {}, half_width: {:.4f}, gpus: [{:g}, {:g}], "
        "parameters: [{:.4g}, {:.4g}], sources: [{}]}}\n",
        one.kind.stack, one.kind.accelerator, one.kind.workload, one.runs, one.half_width, one.gpus.low, one.gpus.high,
        one.parameters.low, one.parameters.high, fmt::join(one.sources, ", "));
  }
  return text;
}

}  // namespace trainsim
