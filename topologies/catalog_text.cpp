#include "topologies/catalog_text.hpp"

#include <algorithm>

namespace trainsim {

std::string read_source(MapReader& map) {
  std::string result = map.text("source").value_or("");
  const Node* sources = map.node("sources");
  if (sources == nullptr) return result;
  if (sources->kind != Node::Kind::map) {
    map.fault("sources", "must be a map", "the key of a figure, then where it comes from");
    return result;
  }
  for (const auto& [key, value] : sources->entries) {
    const auto text = read_text(value, map.path_of("sources") + "." + key, map.context());
    if (text) result += (result.empty() ? "" : "; ") + key + ": " + *text;
  }
  return result;
}

std::vector<std::string> read_estimated(MapReader& map) {
  std::vector<std::string> result;
  const Node* keys = map.node("estimated");
  if (keys == nullptr) return result;
  if (keys->kind != Node::Kind::sequence) {
    map.fault("estimated", "must be a list of keys", "for example [power, intra.latency]");
    return result;
  }
  for (const Node& item : keys->items) {
    if (auto key = read_text(item, map.path_of("estimated"), map.context())) result.push_back(*std::move(key));
  }
  return result;
}

void report_unknown_name(const Node& node, const std::string& path, ReadContext& context,
                         const std::vector<std::string>& known, const std::vector<std::string>& later) {
  if (std::find(later.begin(), later.end(), node.scalar) != later.end()) {
    report(node, path, context, "'" + node.scalar + "' is not supported yet");
    return;
  }
  const std::string near = nearest(node.scalar, known);
  std::string allowed = near.empty() ? "one of" : "did you mean '" + near + "'? One of";
  for (const std::string& name : known) allowed += (&name == &known.front() ? " " : ", ") + name;
  report(node, path, context, "unknown name '" + node.scalar + "'", allowed);
}

}  // namespace trainsim
