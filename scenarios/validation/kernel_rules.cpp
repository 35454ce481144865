#include "scenarios/validation/kernel_rules.hpp"

#include <algorithm>

#include "scenarios/validation/catalog_files.hpp"
#include "simulator/input/embedded_document.hpp"

namespace trainsim {

namespace {

std::vector<std::string> words_of(const Node& node) {
  if (node.kind != Node::Kind::sequence) return {node.scalar};
  std::vector<std::string> words;
  for (const Node& item : node.items) words.push_back(item.scalar);
  return words;
}

void read_conditions(MapReader& map, KernelRule& rule) {
  const Node* where = map.node("where");
  if (where != nullptr) {
    for (const auto& [column, words] : where->entries) rule.where.emplace_back(column, words_of(words));
  }
  const Node* below = map.node("below");
  if (below == nullptr) return;
  for (const auto& [column, limit] : below->entries) {
    rule.below.emplace_back(column, read_number(limit, map.path_of(column), map.context()).value_or(0.0));
  }
}

KernelRule read_rule(const Node& node, const std::string& path, ReadContext& context) {
  MapReader map(node, path, context);
  KernelRule rule;
  read_conditions(map, rule);
  rule.skip = map.text("skip").value_or("");
  if (rule.skip.empty()) map.require("as");
  rule.operation = map.text("as").value_or("");
  rule.precision = map.text("precision").value_or("bf16");
  rule.flash = static_cast<int>(map.integer("flash", {0, 3}).value_or(0));
  rule.is_sustained = map.boolean("sustained").value_or(false);
  rule.is_grouped = map.boolean("grouped").value_or(false);
  rule.accumulates_fp32 = map.boolean("accumulates_fp32").value_or(false);
  rule.cast_kernels = map.number("cast_kernels").value_or(0.0);
  rule.cast_bytes_per_element = map.number("cast_bytes_per_element").value_or(0.0);
  rule.window = map.number("window").value_or(0.0);
  map.finish();
  return rule;
}

KernelTableRules read_table(const std::string& name, const Node& list, ReadContext& context) {
  KernelTableRules table{name, {}};
  for (const Node& item : list.items) table.rules.push_back(read_rule(item, "tables." + name, context));
  return table;
}

KernelRules read_rules(const Node& root, ReadContext& context) {
  MapReader file(root, "", context);
  KernelRules rules;
  file.require("accelerators");
  file.require("tables");
  const Node* accelerators = file.node("accelerators");
  const Node* tables = file.node("tables");
  file.finish();
  if (accelerators == nullptr || tables == nullptr) return rules;
  for (const auto& [name, entry] : accelerators->entries) rules.accelerators[name] = entry.scalar;
  for (const auto& [name, list] : tables->entries) rules.tables.push_back(read_table(name, list, context));
  return rules;
}

}  // namespace

bool KernelRule::fits(const CsvRow& row) const {
  const auto has_word = [&](const auto& condition) {
    const std::string& cell = row.text(condition.first);
    return std::ranges::any_of(condition.second,
                               [&](const std::string& word) { return cell.find(word) != std::string::npos; });
  };
  const auto is_below = [&](const auto& condition) {
    const std::optional<double> number = row.number(condition.first);
    return number && *number < condition.second;
  };
  return std::ranges::all_of(where, has_word) && std::ranges::all_of(below, is_below);
}

const KernelRule* KernelTableRules::rule_of(const CsvRow& row) const {
  const auto found = std::ranges::find_if(rules, [&](const KernelRule& rule) { return rule.fits(row); });
  return found == rules.end() ? nullptr : &*found;
}

KernelRules kernel_rules() { return read_embedded(validation_catalog_files().find("kernels"), read_rules); }

}  // namespace trainsim
