// The sections of the scenario that a row turns into, each from the columns that concern it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/validation/training_row.hpp"

namespace trainsim {

// What the sections miss and assume while they are written.
class RowFindings {
 public:
  void lack(std::string what) { lacks_.push_back(std::move(what)); }
  void assume(std::string what) { assumptions_.push_back(std::move(what)); }
  // The column's count; 1 and a lack called `name` where it has none.
  std::int64_t require(const TrainingRow& row, std::string_view column, const std::string& name) {
    const auto value = row.count(column);
    if (!value) lack(name);
    return value.value_or(1);
  }

  [[nodiscard]] const std::vector<std::string>& lacks() const { return lacks_; }
  [[nodiscard]] const std::vector<std::string>& assumptions() const { return assumptions_; }

 private:
  std::vector<std::string> lacks_, assumptions_;
};

nlohmann::ordered_json model_section(const TrainingRow& row, RowFindings& findings);
// `tuned_micro_batch`: where the row has none.
nlohmann::ordered_json training_section(const TrainingRow& row, std::optional<std::int64_t> tuned_micro_batch,
                                        RowFindings& findings);
nlohmann::ordered_json parallelism_section(const TrainingRow& row, RowFindings& findings);
nlohmann::ordered_json software_section(const TrainingRow& row, RowFindings& findings);
nlohmann::ordered_json cluster_section(const TrainingRow& row, RowFindings& findings);
// null for a quiet cluster.
nlohmann::ordered_json conditions_section(const TrainingRow& row, RowFindings& findings);

// Adapters on a frozen base.
bool is_lora(const TrainingRow& row);

}  // namespace trainsim
