// One published training run: a row of training_runs.csv.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/validation/source_assumptions.hpp"
#include "simulator/input/csv.hpp"

namespace trainsim {

class TrainingRow : public CsvRow {
 public:
  explicit TrainingRow(CsvRow row) : CsvRow(std::move(row)) {}

  [[nodiscard]] const std::string& id() const { return text("row_id"); }
  [[nodiscard]] const std::string& source() const { return text("source_id"); }
  // What its source leaves unsaid; nothing for a source that the catalog does not know.
  [[nodiscard]] const SourceAssumptions& assumptions() const;
};

// Throws InputError (simulator/input/csv.hpp), also for a file without the columns that every run needs.
std::vector<TrainingRow> read_training_rows(const std::filesystem::path& path);
// The same of runs that may have failed: without a measured time.
std::vector<TrainingRow> read_untimed_rows(const std::filesystem::path& path);

}  // namespace trainsim
