// A section of a catalog file in which every figure has an origin. A figure is a plain value, whose origin is the
// section's `source:` or `estimated: true`, or a map {value: …, source: …} or {value: …, estimated: true} of its own.
// Keys are never optional: a figure that is absent is a fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/reader.hpp"

namespace trainsim {

class SourcedSection {
 public:
  // `parent` must have `key`, a map.
  SourcedSection(MapReader& parent, std::string_view key);
  SourcedSection(const Node& node, std::string path, ReadContext& context);

  // Each returns a zero, false or empty value when it has reported a fault.
  double number(std::string_view key, NumberRange range = {});
  double quantity(std::string_view key, Unit unit);
  std::int64_t integer(std::string_view key, IntegerRange range = {});
  bool boolean(std::string_view key);
  std::string choice(std::string_view key, const std::vector<std::string>& allowed);
  // The value of `key`, whose origin has been noted; nullptr when absent (reported if `is_required`).
  const Node* figure(std::string_view key, bool is_required = true);
  [[nodiscard]] std::string path_of(std::string_view key) const { return map_.path_of(key); }
  [[nodiscard]] ReadContext& context() { return map_.context(); }

  // Reports unknown keys. Call once, last.
  void finish() { map_.finish(); }

  [[nodiscard]] const std::vector<std::string>& estimated() const { return estimated_; }  // key paths
  [[nodiscard]] const std::vector<std::string>& sources() const { return sources_; }      // each once

 private:
  void read_own_origin();
  void note_source(const std::string& source);

  MapReader map_;
  bool has_origin_ = false;
  bool is_estimated_ = false;
  std::vector<std::string> estimated_;
  std::vector<std::string> sources_;
};

}  // namespace trainsim
