// From YAML text to a tree of Nodes with places, through yaml-cpp's events, which keep the place of every key.
#pragma once

#include <string>
#include <string_view>

#include "simulator/input/document.hpp"

namespace trainsim {

inline constexpr std::size_t kMaxNesting = 32;

// Adds to `diagnostics` what the scenario contract refuses in YAML (document.hpp) and returns what could be read.
// REQUIRES: `text` is UTF-8 without a byte order mark or control characters other than tab and line ends.
Node parse_yaml(std::string_view text, const std::string& file, Diagnostics& diagnostics);

}  // namespace trainsim
