// From specification to graph. One builder per kind of node interior and of fabric, each in its own file, listed in
// build.cpp.
#pragma once

#include "topologies/hardware.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

// `fabric.nodes` equal nodes, joined by the fabric (none for a single node). Throws std::invalid_argument when the
// specification cannot be built (a rail fabric without one NIC per GPU, leaf ports too few for one node, …): the
// message says what to change.
Topology build_topology(const NodeSpec& node, const FabricSpec& fabric);

}  // namespace trainsim
