#include "scenarios/format/scenario.hpp"

#include <algorithm>
#include <charconv>

#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

constexpr std::int64_t kVersion = 1;

Document read_with_overrides(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  Document document = read_document(path);
  Diagnostics diagnostics;
  for (const std::string& assignment : overrides) {
    try {
      override_value(document, assignment);
    } catch (const InputError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) diagnostics.add(diagnostic);
    }
  }
  diagnostics.throw_if_any();
  return document;
}

// Another version may name and mean everything else differently, so its faults would only mislead.
void check_version(MapReader& root) {
  root.require("trainsim");
  const auto version = root.integer("trainsim");
  if (!version || *version == kVersion) return;
  root.fault("trainsim", "unknown version " + std::to_string(*version),
             "this trainsim reads version " + std::to_string(kVersion));
  root.context().diagnostics.throw_if_any();
}

const Node* child_of(const Node& node, std::string_view key) {
  if (node.kind != Node::Kind::sequence) return node.find(key);
  std::size_t index = 0;
  const auto read = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool is_item = read.ec == std::errc() && read.ptr == key.data() + key.size() && index < node.items.size();
  return is_item ? &node.items[index] : nullptr;
}

}  // namespace

Location place_of(const Document& document, std::string_view dotted_path) {
  const Node* node = &document.root;
  while (!dotted_path.empty()) {
    const std::size_t dot = std::min(dotted_path.find('.'), dotted_path.size());
    const Node* child = child_of(*node, dotted_path.substr(0, dot));
    if (child == nullptr) break;
    node = child;
    dotted_path.remove_prefix(std::min(dot + 1, dotted_path.size()));
  }
  return location_of(*node, document.file);
}

Scenario read_scenario(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  Scenario scenario;
  scenario.document = read_with_overrides(path, overrides);
  Diagnostics diagnostics;
  ReadContext context{scenario.document.file, diagnostics};
  MapReader root(scenario.document.root, "", context);
  check_version(root);
  scenario.name = root.text("name").value_or(path.stem().string());
  scenario.description = root.text("description").value_or("");
  scenario.model = read_model(root);
  scenario.training = read_training(root);
  scenario.parallelism = read_parallelism(root);
  scenario.software = read_software(root);
  scenario.cluster = read_cluster(root);
  scenario.conditions = read_conditions(root);
  scenario.simulation = read_simulation(root);
  read_cost(root);
  root.finish();
  diagnostics.throw_if_any();
  return scenario;
}

}  // namespace trainsim
