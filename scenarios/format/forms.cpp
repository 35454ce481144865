#include "scenarios/format/forms.hpp"

#include <algorithm>

namespace trainsim {

namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " | ") + word;
  return result;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::optional<std::string> read_word(const Node& node, const std::string& path, ReadContext& context,
                                     const std::vector<std::string>& now, const std::vector<std::string>& later) {
  if (node.kind == Node::Kind::scalar && contains(later, node.scalar)) {
    report(node, path, context, "'" + node.scalar + "' is not supported yet", "allowed: " + listed(now));
    return std::nullopt;
  }
  return read_choice(node, path, context, now);
}

std::optional<std::string> read_word(MapReader& map, std::string_view key, const std::vector<std::string>& now,
                                     const std::vector<std::string>& later) {
  const Node* node = map.node(key);
  return node == nullptr ? std::nullopt : read_word(*node, map.path_of(key), map.context(), now, later);
}

std::optional<std::int64_t> read_integer_or_auto(MapReader& map, std::string_view key, IntegerRange range) {
  const Node* node = map.node(key);
  if (node == nullptr || (node->kind == Node::Kind::scalar && node->scalar == "auto")) return std::nullopt;
  return map.integer(key, range);
}

void allow_at_most_one(MapReader& map, const std::vector<std::string>& keys) {
  std::string first;
  for (const std::string& key : keys) {
    if (map.node(key) == nullptr) continue;
    if (first.empty()) {
      first = key;
    } else {
      map.fault(key, "given beside " + first, "one of " + listed(keys));
    }
  }
}

void require_exactly_one(MapReader& map, const std::vector<std::string>& keys) {
  allow_at_most_one(map, keys);
  const bool has_one = std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return map.has(key); });
  if (!has_one && map.is_map()) map.fault("", "missing: " + listed(keys), "exactly one of them");
}

}  // namespace trainsim
