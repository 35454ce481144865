// The accelerators and nodes that ship with trainsim, as YAML beside this file, each figure with its source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/reader.hpp"
#include "topologies/hardware.hpp"

namespace trainsim {

std::vector<std::string> accelerator_names();
std::vector<std::string> node_names();
// Names of the format's catalog that are reserved for kinds that do not work yet ("not supported yet").
std::vector<std::string> later_accelerator_names();
std::vector<std::string> later_node_names();

// Throws std::out_of_range for a name that is not in the list.
Accelerator catalog_accelerator(std::string_view name);
NodeSpec catalog_node(std::string_view name);

// A node or accelerator written out in a scenario: `base` plus changes, or everything (cluster.node of the format page).
// Faults go to the context; the result is then unusable.
Accelerator read_accelerator(const Node& node, const std::string& path, ReadContext& context);
NodeSpec read_node(const Node& node, const std::string& path, ReadContext& context);

std::string_view topology_catalog_sha256();

}  // namespace trainsim
