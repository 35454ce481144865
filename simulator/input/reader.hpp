// Typed access to a Document that reports every fault with its place and never stops at the first one.
//
//   MapReader map(node, "cluster", context);
//   const double link = map.quantity("link", Unit::bytes_per_s).value_or(default);
//   map.finish();   // reports keys nobody asked for, with the nearest known one
//
// A getter returns nullopt when the key is absent, or when its value is wrong (which it has then reported).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/document.hpp"
#include "simulator/input/quantity.hpp"

namespace trainsim {

// Where readers report to: the file's name and the faults found so far.
struct ReadContext {
  std::string file;
  Diagnostics& diagnostics;
};

struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = INT64_MAX;
};

struct NumberRange {
  double low = 0.0;
  double high = 1e300;
  bool low_is_open = false;  // true: the value must be above `low`
};

class MapReader {
 public:
  // `path` is the dotted key path of the map itself ("" for the root). Reports a node that is no map.
  MapReader(const Node& node, std::string path, ReadContext& context);

  // False for a node that is no map: every getter then gives nothing.
  [[nodiscard]] bool is_map() const { return node_.kind == Node::Kind::map; }
  [[nodiscard]] bool has(std::string_view key) const;
  // The raw node, marked as known; nullptr when absent.
  const Node* node(std::string_view key);

  std::optional<std::string> text(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, IntegerRange range = {});
  std::optional<double> number(std::string_view key, NumberRange range = {});
  // A count of tokens or parameters: 300e9, 300B, 15T.
  std::optional<double> count(std::string_view key, NumberRange range = {});
  std::optional<double> quantity(std::string_view key, Unit unit, NumberRange range = {});
  // One of `allowed`; a wrong word is reported with the list and the nearest.
  std::optional<std::string> choice(std::string_view key, const std::vector<std::string>& allowed);

  // Reports `key` as missing unless it is there.
  void require(std::string_view key);
  // Reports a known key whose feature does not exist yet ("not supported yet").
  void refuse_later(std::string_view key);
  // Reports a fault at the key's value (or at the map, when the key is absent or "").
  void fault(std::string_view key, std::string what, std::string allowed = "");
  // Reports every key that was never asked for. Call once, last.
  void finish();

  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] ReadContext& context() { return context_; }

 private:
  const Node& node_;
  std::string path_;
  ReadContext& context_;
  std::set<std::string, std::less<>> known_;
};

// The same conversions for a value that is not in a map (a list item, or one form of several).
std::optional<std::int64_t> read_integer(const Node&, const std::string& path, ReadContext&, IntegerRange = {});
std::optional<double> read_number(const Node&, const std::string& path, ReadContext&, NumberRange = {});
std::optional<double> read_quantity(const Node&, const std::string& path, ReadContext&, Unit, NumberRange = {});
std::optional<std::string> read_text(const Node&, const std::string& path, ReadContext&);
std::optional<std::string> read_choice(const Node&, const std::string& path, ReadContext&,
                                       const std::vector<std::string>& allowed);
void report(const Node&, const std::string& path, ReadContext&, std::string what, std::string allowed = "");

}  // namespace trainsim
