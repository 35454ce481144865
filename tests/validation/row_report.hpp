// Outcomes of published runs as text: counts and errors of each source, what rows lack, which failed, and all as CSV.
#pragma once

#include <string>
#include <vector>

#include "tests/validation/row_outcome.hpp"

namespace trainsim {

std::string sources_table(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes);
// One line for each thing lacked, with its rows.
std::string lacks_list(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes);
// The rows that say enough and yet do not resolve, or not run, each with the reason.
std::string failures_list(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes, bool has_run);
// row_id, source, published, predicted, error, memory.
std::string outcomes_csv(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes);

}  // namespace trainsim
