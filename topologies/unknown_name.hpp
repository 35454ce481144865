// What the readers of nodes and accelerators say about a name that no catalog has.
#pragma once

#include <string>
#include <vector>

#include "simulator/input/reader.hpp"

namespace trainsim {

// Reports `node`'s word as not supported yet (when in `later`) or unknown, with the nearest of `known`.
void report_unknown_name(const Node& node, const std::string& path, ReadContext& context,
                         const std::vector<std::string>& known, const std::vector<std::string>& later);

}  // namespace trainsim
