// A published training run as a scenario file. What a row does not say is assumed by rules that look at its source and
// its other columns, never at which row it is; a row that leaves open what no rule supplies, or that contradicts
// itself, gives no scenario but the list of what it lacks.
#pragma once

#include <string>
#include <vector>

#include "scenarios/validation/training_row.hpp"

namespace trainsim {

struct RowScenario {
  std::string yaml;                      // empty when the row lacks something
  std::vector<std::string> lacks;        // "parallel plan (tp, pp)", "degrees multiply to 8192, not to 16384 GPUs" …
  std::vector<std::string> assumptions;  // also in the comments at the top of `yaml`

  [[nodiscard]] bool says_enough() const { return lacks.empty(); }
};

// `stack`, where given, in place of the one that the row's source ran.
RowScenario scenario_of(const TrainingRow& row, const std::string& stack = {});

}  // namespace trainsim
