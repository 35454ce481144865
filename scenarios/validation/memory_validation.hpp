// Memory of measured runs, which needs no play: which plans are said to fit, of those that ran and of those that did
// not, and how far the peaks that sources print are missed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/validation/error_summary.hpp"
#include "scenarios/validation/step_validation.hpp"

namespace trainsim {

struct MemoryOutcome {
  Reach reach = Reach::read;  // resolves at most
  std::string reason;         // why it went no further
  bool fits = true;
  double predicted_bytes = 0;           // of the stage, and with the parts, that the source prints
  std::optional<double> printed_bytes;  // nullopt where the source does not say what its figure means
};

// Outcomes in the order of `rows`; a row needs no step time. Scenario files are written to `folder`, as ROW_ID.yaml.
std::vector<MemoryOutcome> memory_of(const std::vector<TrainingRow>& rows, const ReplayOptions& options,
                                     const std::filesystem::path& folder);

struct SourceMemory {
  std::string source;                          // "all" for the sum
  std::size_t rows = 0, checked = 0, fit = 0;  // checked: rows that resolve
  ErrorSummary errors;                         // predicted / printed - 1, over GPUs
};

// By source in the order of their names, then all together.
std::vector<SourceMemory> memory_by_source(const std::vector<TrainingRow>& rows,
                                           const std::vector<MemoryOutcome>& outcomes);

std::string memory_table(const std::vector<SourceMemory>& sources);
nlohmann::ordered_json memory_json(const std::vector<SourceMemory>& sources);
// A line for each row that resolves.
std::string memory_csv(const std::vector<TrainingRow>& rows, const std::vector<MemoryOutcome>& outcomes);

}  // namespace trainsim
