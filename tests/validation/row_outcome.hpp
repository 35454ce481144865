// What becomes of published runs: whether each row says enough, resolves and runs, and how far the play is off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/run/run.hpp"
#include "tests/validation/row_scenario.hpp"
#include "tests/validation/training_row.hpp"

namespace trainsim {

enum class Reach { read, says_enough, resolves, runs };

struct RowOutcome {
  Reach reach = Reach::read;  // the last thing that worked
  std::string reason;         // why the next one did not
  double predicted_s = 0.0;
  bool fits = true;            // the plan's memory
  double first_stage_gib = 0;  // memory of the first pipeline stage, and of the fullest
  double peak_gib = 0;
};

struct RowCheck {
  bool run = false;
  std::size_t jobs = 1;  // plays at once
  std::uint64_t max_events = RunOptions{}.max_events;
};

// Outcomes in the order of `rows`. Scenario files are written to `folder`, as ROW_ID.yaml.
std::vector<RowOutcome> check_rows(const std::vector<TrainingRow>& rows, const RowCheck& check,
                                   const std::filesystem::path& folder);

// predicted / published - 1. REQUIRES: the row's run succeeded.
double error_of(const TrainingRow& row, const RowOutcome& outcome);

}  // namespace trainsim
