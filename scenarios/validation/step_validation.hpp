// Measured runs replayed: what becomes of each, and how far predictions are off, by source and in all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenarios/run/interval.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/validation/error_summary.hpp"
#include "scenarios/validation/row_scenario.hpp"
#include "scenarios/validation/training_row.hpp"

namespace trainsim {

enum class Reach { read, says_enough, resolves, runs };

struct RowOutcome {
  Reach reach = Reach::read;  // the last thing that worked
  std::string reason;         // why the next one did not
  double predicted_s = 0.0;
  RunKind kind;
  double parameters = 0.0;
  std::map<std::string, double> gpu_time;  // parts of the predicted step, as in the result
  bool fits = true;                        // the plan's memory
  double first_stage_bytes = 0;            // memory of the first pipeline stage, and of the fullest
  double peak_bytes = 0;

  [[nodiscard]] bool has_run() const { return reach == Reach::runs; }
};

struct ReplayOptions {
  bool run = true;       // false: resolve only
  std::size_t jobs = 1;  // plays at once
  std::uint64_t max_events = RunOptions{}.max_events;
  std::vector<std::string> overrides;  // of every scenario: "key.path=value"
  std::string stack;                   // in place of the source's: a name or a file; empty: the source's
};

// Outcomes in the order of `rows`. Scenario files are written to `folder`, as ROW_ID.yaml.
std::vector<RowOutcome> replay(const std::vector<TrainingRow>& rows, const ReplayOptions& options,
                               const std::filesystem::path& folder);

struct ReplayedRow {
  const TrainingRow* row = nullptr;
  const RowOutcome* outcome = nullptr;

  [[nodiscard]] double measured_s() const;
  [[nodiscard]] double error() const { return outcome->predicted_s / measured_s() - 1.0; }
};

struct SourceErrors {
  std::string source;  // "all" for the sum
  std::size_t rows = 0, enough = 0, resolve = 0, fit = 0;
  ErrorSummary errors;             // of step time, over GPUs; n: rows that ran
  std::vector<ReplayedRow> worst;  // by absolute error, five at most
};

// By source in the order of their names, then all together. What it returns points into `rows` and `outcomes`.
std::vector<SourceErrors> errors_by_source(const std::vector<TrainingRow>& rows,
                                           const std::vector<RowOutcome>& outcomes);

}  // namespace trainsim
