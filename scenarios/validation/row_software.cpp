// software: the stack that the row's source ran.
#include <fmt/format.h>

#include "scenarios/validation/row_sections.hpp"

namespace trainsim {

nlohmann::ordered_json software_section(const TrainingRow& row, RowFindings& findings) {
  const SourceAssumptions& source = row.assumptions();
  for (const auto& [word, stack] : source.stack_of_gpu) {
    if (row.mentions("gpu", word)) return {{"stack", stack}};
  }
  if (!source.stack.empty()) return {{"stack", source.stack}};
  findings.lack(fmt::format("software stack (source {})", row.source()));
  return {};
}

}  // namespace trainsim
