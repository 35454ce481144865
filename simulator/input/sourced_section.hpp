// A section of a catalog file in which every figure has an origin (origins.hpp) and no key is optional: a figure that
// is absent, or comes from nowhere, is a fault.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/origins.hpp"

namespace trainsim {

// A figure as the file has it, for tables of all figures.
struct WrittenFigure {
  std::string key;     // path
  std::string value;   // as written; "{...}" of a map
  std::string source;  // empty for an estimate
};

class SourcedSection {
 public:
  // `parent` must have `key`, a map.
  SourcedSection(MapReader& parent, std::string_view key);
  SourcedSection(const SourcedSection&) = delete;
  SourcedSection& operator=(const SourcedSection&) = delete;

  // Each returns a zero, false or empty value when it has reported a fault.
  double number(std::string_view key, NumberRange range = {});
  double quantity(std::string_view key, Unit unit);
  bool boolean(std::string_view key);
  std::string choice(std::string_view key, const std::vector<std::string>& allowed);
  // The value of `key`; nullptr when absent (reported if `is_required`).
  const Node* figure(std::string_view key, bool is_required = true);
  [[nodiscard]] std::string path_of(std::string_view key) const { return map_.path_of(key); }
  [[nodiscard]] ReadContext& context() { return map_.context(); }

  // Reports unknown keys. Call once, last.
  void finish() { map_.finish(); }

  [[nodiscard]] std::vector<std::string> estimated() const;  // key paths
  [[nodiscard]] std::vector<std::string> sources() const;    // texts, each once
  [[nodiscard]] std::vector<WrittenFigure> written() const;  // in file order

 private:
  SourcedFigures written_;
  MapReader map_;  // of written_.figures
};

}  // namespace trainsim
