// A node in the words of `cluster.node`: its name where it is a catalog's, else everything it consists of.
#pragma once

#include <nlohmann/json.hpp>

#include "topologies/hardware.hpp"

namespace trainsim {

// Reading the result gives the same node.
nlohmann::ordered_json describe_node(const NodeSpec& node);

}  // namespace trainsim
