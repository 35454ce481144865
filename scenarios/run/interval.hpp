// How sure a predicted step time is: the errors on measured runs of its kind, wider for a run unlike all of them
// (catalog/validated.yaml, written by `trainsim validate`; catalog/widening.yaml).
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
  double half_width = 0.0;  // of |ln(measured / predicted)|: nine tenths of the runs lie within
  Extent gpus, parameters;
  std::vector<std::string> sources;
};

// The shipped ones.
const std::vector<ValidatedKind>& validated_kinds();

// From the kind that is most like the run: the one whose errors are widened least. At most a factor of two either way,
// which is also what rests on nothing.
Result::Interval interval_of(double step_s, const RunKind& kind, double gpus, double parameters,
                             const std::vector<ValidatedKind>& validated);

}  // namespace trainsim
