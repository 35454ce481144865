// Replayed runs as text, JSON, CSV, and as a page of the documentation.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/validation/step_validation.hpp"

namespace trainsim {

// One line for each source, then the worst rows of each with where their predicted time goes.
std::string step_table(const std::vector<SourceErrors>& sources);
std::string worst_table(const std::vector<SourceErrors>& sources);
// The page of the documentation: both tables, and what they are.
std::string validation_page(const std::vector<SourceErrors>& sources);
// One line for each thing lacked, with its rows.
std::string lacks_list(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes);
// The rows that say enough and yet do not resolve, or not run, each with the reason.
std::string failures_list(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes, bool has_run);

nlohmann::ordered_json step_json(const std::vector<SourceErrors>& sources, const std::vector<TrainingRow>& rows,
                                 const std::vector<RowOutcome>& outcomes);
// A line for each row that ran: what identifies it, measured and predicted time, memory, parts of the step.
std::string outcomes_csv(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes);

}  // namespace trainsim
