// Where a catalog file or a scenario says its figures come from; shared by the readers of nodes and accelerators.
#pragma once

#include <string>
#include <vector>

#include "simulator/input/reader.hpp"

namespace trainsim {

// `source` and `sources`, joined to one text ("memory: …; …").
std::string read_source(MapReader& map);

// `estimated`: a list of keys.
std::vector<std::string> read_estimated(MapReader& map);

// Reports `name` as not supported yet (when in `later`) or unknown, with the nearest of `known`.
void report_unknown_name(const Node& node, const std::string& path, ReadContext& context,
                         const std::vector<std::string>& known, const std::vector<std::string>& later);

}  // namespace trainsim
