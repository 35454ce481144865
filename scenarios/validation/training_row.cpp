#include "scenarios/validation/training_row.hpp"

#include <utility>

namespace trainsim {

const SourceAssumptions& TrainingRow::assumptions() const {
  static const SourceAssumptions none;
  const SourceAssumptions* known = assumptions_on(source());
  return known == nullptr ? none : *known;
}

std::vector<TrainingRow> read_training_rows(const std::filesystem::path& path) {
  std::vector<TrainingRow> rows;
  for (CsvRow& row : read_csv_rows(path, {"row_id", "source_id", "n_gpus", "step_time_s_any"})) {
    rows.emplace_back(std::move(row));
  }
  return rows;
}

}  // namespace trainsim
