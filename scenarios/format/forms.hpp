// Shapes that recur in the scenario file: a word, where some words are for later, exactly one of several keys, a
// section whose feature does not exist yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/input/reader.hpp"
#include "workloads/read_blocks.hpp"

namespace trainsim {

inline constexpr NumberRange kAboveZero{.low = 0.0, .low_is_open = true};
// Below a modem's rate a step outlasts what a clock in double precision tells apart.
inline constexpr NumberRange kLinkRate{.low = 1e3};
inline constexpr NumberRange kShare{.low = 0.0, .high = 1.0, .low_is_open = true};  // in (0, 1]
inline constexpr std::int64_t kMostGpus = std::int64_t{1} << 20U;
inline constexpr std::int64_t kMostLayers = kMaxLayers;

// One of `now`. One of `later` is reported as not supported yet, anything else as unknown.
std::optional<std::string> read_word(const Node& node, const std::string& path, ReadContext& context,
                                     const std::vector<std::string>& now, const std::vector<std::string>& later);
std::optional<std::string> read_word(MapReader& map, std::string_view key, const std::vector<std::string>& now,
                                     const std::vector<std::string>& later = {});

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

// What the word of `now` stands for.
template <class T>
std::optional<T> read_meaning(const Node& node, const std::string& path, ReadContext& context, const Words<T>& now,
                              const std::vector<std::string>& later = {}) {
  std::vector<std::string> words;
  for (const auto& entry : now) words.push_back(entry.first);
  const std::optional<std::string> word = read_word(node, path, context, words, later);
  for (const auto& [name, meaning] : now) {
    if (word == name) return meaning;
  }
  return std::nullopt;
}

template <class T>
std::optional<T> read_meaning(MapReader& map, std::string_view key, const Words<T>& now,
                              const std::vector<std::string>& later = {}) {
  const Node* node = map.node(key);
  return node == nullptr ? std::nullopt : read_meaning(*node, map.path_of(key), map.context(), now, later);
}

// `auto` (nullopt) or a whole number.
std::optional<std::int64_t> read_integer_or_auto(MapReader& map, std::string_view key, IntegerRange range);

// Reports none of `keys`, and every one beside the first. Marks them all as known.
void require_exactly_one(MapReader& map, const std::vector<std::string>& keys);
void allow_at_most_one(MapReader& map, const std::vector<std::string>& keys);

// The map at `key`, read by `read` and then finished; nothing when the key is absent.
template <class Read>
void read_map(MapReader& parent, std::string_view key, Read read) {
  const Node* node = parent.node(key);
  if (node == nullptr) return;
  MapReader map(*node, parent.path_of(key), parent.context());
  read(map);
  map.finish();
}

// A section whose feature does not exist yet: refused by name, and its grammar checked all the same.
template <class Read>
void refuse_section(MapReader& parent, std::string_view key, Read read) {
  parent.refuse_later(key);
  read_map(parent, key, read);
}

// Calls `read(item, path)` for each item of the list at `key`; nothing when the key is absent.
template <class Read>
void read_items(MapReader& map, std::string_view key, Read read) {
  const Node* list = map.node(key);
  if (list == nullptr) return;
  if (list->kind != Node::Kind::sequence) {
    map.fault(key, std::string(kind_name(*list)) + " where a list is due");
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    read(list->items[i], map.path_of(key) + '.' + std::to_string(i));
  }
}

}  // namespace trainsim
