// From replayed runs to what intervals rest on (scenarios/run/interval.hpp).
#pragma once

#include <string>
#include <vector>

#include "scenarios/validation/step_validation.hpp"

namespace trainsim {

// By stack, accelerator and workload. Half-width: the 90 % quantile of |ln(measured / predicted)|, for fewer than ten
// runs their largest x (1 + 1/n), and at most 2.5 times their mean: what a few runs under other conditions
// suffered must not make every prediction vague.
std::vector<ValidatedKind> kinds_of(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes);

// Measured runs inside the intervals that such kinds give them.
struct Coverage {
  std::size_t runs = 0, inside = 0;
};
Coverage coverage(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes,
                  const std::vector<ValidatedKind>& kinds);

// The catalog file of them.
std::string validated_yaml(const std::vector<ValidatedKind>& kinds);

}  // namespace trainsim
