#include "simulator/input/document.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

#include "simulator/input/utf8.hpp"
#include "simulator/input/yaml_tree.hpp"

namespace trainsim {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20U;
constexpr std::string_view kOverrideFile = "--set";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void refuse(std::string file, std::string what, std::string allowed = "") {
  throw InputError({{{std::move(file), 0, 0}, "", std::move(what), std::move(allowed)}});
}

[[noreturn]] void refuse_override(std::string_view key, std::string what, std::string allowed = "") {
  throw InputError({{{std::string(kOverrideFile), 0, 0}, std::string(key), std::move(what), std::move(allowed)}});
}

std::string_view fault_of_character(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (length == 0) return "not UTF-8 text";
  if (byte == 0) return "a NUL character";
  if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') return "a control character";
  return byte == 0x7F ? "a control character" : "";
}

// The first character that no scenario may hold; the YAML parser would stop at some of them, or replace them, in
// silence.
void check_characters(std::string_view text, const std::string& file) {
  Location place{file, 1, 1};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text, at);
    const std::string_view fault = fault_of_character(text, at, length);
    if (!fault.empty()) throw InputError({{place, "", std::string(fault), "a scenario is UTF-8 text"}});
    ++place.column;
    if (text[at] == '\n') {
      ++place.line;
      place.column = 1;
    }
    at += length;
  }
}

bool is_blank(const Node& node) { return node.kind == Node::Kind::null; }

void mark_as_override(Node& node) {
  node.line = node.column = 0;
  for (Node& item : node.items) mark_as_override(item);
  for (auto& entry : node.entries) mark_as_override(entry.second);
  for (auto& place : node.key_places) place = {0, 0};
}

Node& child_of_map(Node& map, std::string_view key) {
  for (auto& entry : map.entries) {
    if (entry.first == key) return entry.second;
  }
  Node created;
  created.line = created.column = 0;
  map.entries.emplace_back(std::string(key), std::move(created));
  map.key_places.emplace_back(0, 0);
  return map.entries.back().second;
}

Node& child_of_list(Node& list, std::string_view key, std::string_view path) {
  std::size_t index = 0;
  const auto read = std::from_chars(key.data(), key.data() + key.size(), index);
  if (read.ec != std::errc() || read.ptr != key.data() + key.size() || index >= list.items.size()) {
    const std::string count = std::to_string(list.items.size());
    refuse_override(path, "the list has no item '" + std::string(key) + "'",
                    "items are counted from 0, there are " + count);
  }
  return list.items[index];
}

Node& child(Node& parent, std::string_view key, std::string_view path) {
  if (key.empty()) refuse_override(path, "an empty key", "write key.path=value");
  if (parent.kind == Node::Kind::sequence) return child_of_list(parent, key, path);
  if (parent.kind == Node::Kind::scalar) {
    refuse_override(path, "'" + std::string(key) + "' lies inside a single value", "override that value itself");
  }
  parent.kind = Node::Kind::map;
  return child_of_map(parent, key);
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& entry : entries) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "a word";
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "";
}

Location location_of(std::pair<int, int> place, const std::string& file) {
  if (place.first == 0) return {std::string(kOverrideFile), 0, 0};
  return {file, place.first, place.second};
}

Node merged(Node base, const Node& changes) {
  const bool is_figure = changes.find("value") != nullptr;
  if (base.kind != Node::Kind::map || changes.kind != Node::Kind::map || is_figure) return changes;
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    const auto& [key, value] = changes.entries[i];
    const auto found = std::ranges::find(base.entries, key, &std::pair<std::string, Node>::first);
    if (found != base.entries.end()) {
      found->second = merged(std::move(found->second), value);
    } else {
      base.entries.emplace_back(key, value);
      base.key_places.push_back(changes.key_places[i]);
    }
  }
  return base;
}

Location location_of(const Node& node, const std::string& file) { return location_of({node.line, node.column}, file); }

Document read_document(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) refuse(path.string(), "no such file");
  if (error) refuse(path.string(), "cannot be read: " + error.message());
  if (std::filesystem::is_directory(status)) refuse(path.string(), "is a directory", "name a file");
  // Opening a pipe or a device could block for ever.
  if (!std::filesystem::is_regular_file(status)) refuse(path.string(), "is not a regular file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse(path.string(), "cannot be read");
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) refuse(path.string(), "cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return parse_document(text, path.string());
}

Document parse_document(std::string_view text, std::string name) {
  if (text.size() > kMaxFileBytes) refuse(std::move(name), "too large", "at most 16 MiB");
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  check_characters(text, name);
  Diagnostics diagnostics;
  Document document{std::move(name), {}};
  document.root = parse_yaml(text, document.file, diagnostics);
  if (diagnostics.empty() && is_blank(document.root)) {
    diagnostics.add({{document.file, 1, 1}, "", "empty", "a file holds one YAML document"});
  }
  diagnostics.throw_if_any();
  return document;
}

void override_value(Document& document, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    refuse_override("", "'" + std::string(assignment) + "' is no assignment", "write key.path=value");
  }
  const std::string_view path = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  Node value;
  try {
    value = parse_document(text, std::string(kOverrideFile)).root;
  } catch (const InputError& error) {
    refuse_override(path, error.diagnostics().front().what, error.diagnostics().front().allowed);
  }
  mark_as_override(value);
  // Work on a copy, so that a refused override leaves no half-made maps behind.
  Node root = document.root;
  Node* target = &root;
  std::size_t depth = 0;
  for (std::size_t start = 0; start <= path.size(); ++depth) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    if (depth == kMaxNesting) refuse_override(path, "nested too deeply", "at most 32 levels");
    target = &child(*target, path.substr(start, dot - start), path);
    start = dot + 1;
  }
  *target = std::move(value);
  document.root = std::move(root);
}

}  // namespace trainsim
