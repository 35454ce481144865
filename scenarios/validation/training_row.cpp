#include "scenarios/validation/training_row.hpp"

#include <utility>

namespace trainsim {

const SourceAssumptions& TrainingRow::assumptions() const {
  static const SourceAssumptions none;
  const SourceAssumptions* known = assumptions_on(source());
  return known == nullptr ? none : *known;
}

namespace {

std::vector<TrainingRow> rows_with(const std::filesystem::path& path, const std::vector<std::string>& columns) {
  std::vector<TrainingRow> rows;
  for (CsvRow& row : read_csv_rows(path, columns)) rows.emplace_back(std::move(row));
  return rows;
}

}  // namespace

std::vector<TrainingRow> read_training_rows(const std::filesystem::path& path) {
  return rows_with(path, {"row_id", "source_id", "n_gpus", "step_time_s_any"});
}

std::vector<TrainingRow> read_untimed_rows(const std::filesystem::path& path) {
  return rows_with(path, {"row_id", "source_id", "n_gpus"});
}

}  // namespace trainsim
