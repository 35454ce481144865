// How sure a predicted step time is: the errors on measured runs of its kind, wider for a run unlike all of them
// (catalog/validated.yaml, written by `trainsim validate`; catalog/interval_rules.yaml).
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/result.hpp"

namespace trainsim {

// What decides how well a run is predicted.
struct RunKind {
  std::string stack, accelerator;  // catalog names
  std::string workload;            // dense | experts | adapters
  friend auto operator<=>(const RunKind&, const RunKind&) = default;
};

RunKind kind_of(const ResolvedScenario& scenario);

struct Extent {
  double low = 0.0, high = 0.0;
};

// Measured runs of one kind.
struct ValidatedKind {
  RunKind kind;
  std::size_t runs = 0;
  double half_width = 0.0;  // of |ln(measured / predicted)|, by the rules
  Extent gpus, parameters;
  std::vector<std::string> sources;
};

// The shipped ones.
const std::vector<ValidatedKind>& validated_kinds();

// Half-widths are of |ln(measured / predicted)|; factors multiply them.
struct IntervalRules {
  double quantile = 0.9;      // of the distances of one kind's runs
  double most_of_mean = 2.5;  // and at most so many times their mean
  double least = 0.0;         // of any run
  double unknown = 0.0;       // of a run that rests on nothing; widening goes no further
  double other_accelerator = 1.0, other_stack = 1.0, other_workload = 1.0;
  double per_decade_of_gpus = 0.0, per_decade_of_parameters = 0.0;  // added for each factor of ten out of the extent
};
const IntervalRules& interval_rules();

// From the kind that is most like the run: the one whose errors are widened least. Widening
// goes no further than what rests on nothing.
Result::Interval interval_of(double step_s, const RunKind& kind, double gpus, double parameters,
                             const std::vector<ValidatedKind>& validated);

}  // namespace trainsim
