// A YAML (or JSON) file as a tree in which every value knows its place. Reading refuses what the scenario contract
// refuses: more than one document, anchors, aliases, merge keys, tags, duplicate keys, over 16 MiB, nesting over 32,
// text that is not UTF-8.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/input/input_error.hpp"

namespace trainsim {

struct Node {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  int line = 1;  // 0: from an override on the command line
  int column = 1;
  std::string scalar;                                 // the text, without quotes
  bool is_quoted = false;                             // "8" is a string, 8 a number
  std::vector<Node> items;                            // of a sequence
  std::vector<std::pair<std::string, Node>> entries;  // of a map, in file order
  std::vector<std::pair<int, int>> key_places;        // line and column of each entry's key

  // The value of a map's key; nullptr when it is absent or this is no map.
  [[nodiscard]] const Node* find(std::string_view key) const;
};

// `base` with the values of `changes` in place of its own: maps entry by entry, anything else whole, a figure
// with its origin too ({value: …, source: …}).
Node merged(Node base, const Node& changes);

// What a value is, for messages: "nothing", "a word", "a list", "a map".
std::string_view kind_name(const Node& node);

struct Document {
  std::string file;  // as the user named it; what messages begin with
  Node root;
};

// Where a value (or a key, given its line and column) is: in `file`, or "--set" for an override.
Location location_of(const Node& node, const std::string& file);
Location location_of(std::pair<int, int> place, const std::string& file);

// Throws InputError; line 0 when the file is missing, a directory, not a regular file, unreadable or too large.
Document read_document(const std::filesystem::path& path);

// The same checks on text that is already in memory; `name` stands for the file in messages.
Document parse_document(std::string_view text, std::string name);

// Overrides the scalar at a dotted path ("parallelism.tensor=4"; list items by index:
// "conditions.stragglers.0.speed=0.9"), creating maps on the way. The value is parsed as YAML. The override's place in
// messages is "--set". Throws InputError.
void override_value(Document& document, std::string_view assignment);

}  // namespace trainsim
