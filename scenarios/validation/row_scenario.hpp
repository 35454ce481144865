// A published training run as a scenario file. What a row does not say is assumed by rules that look at its source and
// its other columns, never at which row it is; a row that leaves open what no rule supplies, or that contradicts
// itself, gives no scenario but the list of what it lacks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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

// Micro-batches among which the run's authors are taken to have found the fastest that fits: powers of two that divide
// a replica's sequences. Empty where the row or its source says which it was, or tells too little.
std::vector<std::int64_t> tuned_micro_batches(const TrainingRow& row);

struct ScenarioChoices {
  std::string stack;                        // in place of the one that the row's source ran; empty: that
  std::optional<std::int64_t> micro_batch;  // one of tuned_micro_batches; the first if it has any
};

RowScenario scenario_of(const TrainingRow& row, const ScenarioChoices& choices = {});

// As ROW_ID.yaml. Throws std::runtime_error where it cannot be written.
std::filesystem::path write_row_scenario(const TrainingRow& row, const std::string& yaml,
                                         const std::filesystem::path& folder);

}  // namespace trainsim
