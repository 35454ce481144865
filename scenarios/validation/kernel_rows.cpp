#include "scenarios/validation/kernel_rows.hpp"

#include "scenarios/validation/kernel_rules.hpp"
#include "scenarios/validation/kernel_shapes.hpp"

namespace trainsim {
namespace {

// The row as kernels, or why not.
struct Reading {
  std::optional<KernelRow> row;
  std::string reason;
};

Reading reading_of(const KernelRules& rules, const KernelTableRules& table, const CsvRow& row) {
  const auto accelerator = rules.accelerators.find(row.text("accelerator"));
  if (accelerator == rules.accelerators.end()) {
    return {std::nullopt, "no such accelerator in the catalog: " + row.text("accelerator")};
  }
  const KernelRule* rule = table.rule_of(row);
  if (rule == nullptr) return {std::nullopt, "no rule says what it is"};
  if (!rule->skip.empty()) return {std::nullopt, rule->skip};
  std::optional<TimedKernels> timed = timed_kernels(table.name, row, *rule);
  if (!timed || timed->measured_s <= 0.0) return {std::nullopt, "no time, or a column that is needed is empty"};
  return {KernelRow{std::move(timed->operation), accelerator->second, rule->precision, rule->flash, rule->is_sustained,
                    std::move(timed->kernels), timed->measured_s, table.name + ".csv:" + std::to_string(row.line()),
                    std::move(timed->shape), row.text("stack")},
          ""};
}

}  // namespace

KernelRows read_kernel_rows(const std::filesystem::path& folder) {
  const KernelRules rules = kernel_rules();
  KernelRows result;
  for (const KernelTableRules& table : rules.tables) {
    std::map<std::string, std::size_t> skipped;
    for (const CsvRow& row : read_csv_rows(folder / (table.name + ".csv"), {"accelerator"})) {
      Reading reading = reading_of(rules, table, row);
      if (reading.row) {
        result.rows.push_back(std::move(*reading.row));
      } else {
        ++skipped[reading.reason];
      }
    }
    for (const auto& [reason, rows] : skipped) result.skipped.push_back({table.name, reason, rows});
  }
  return result;
}

}  // namespace trainsim
