// conditions: what disturbed the cluster of the row's source, by size of the job; never by the measured time.
#include <fmt/format.h>

#include "scenarios/validation/row_sections.hpp"

namespace trainsim {

nlohmann::ordered_json conditions_section(const TrainingRow& row, RowFindings& findings) {
  const auto& slow = row.assumptions().slow_messages;
  if (!slow || row.count("n_gpus").value_or(0) < slow->from_gpus) return nullptr;
  findings.assume(
      fmt::format("messages between nodes are late by {}, as in all jobs of {} GPUs and more of this source",
                  slow->delay, slow->from_gpus));
  return {{"messages", {{"delay", slow->delay}}}};
}

}  // namespace trainsim
