// From specification to graph. One builder per kind of node interior and one plan per kind of fabric, each in its own
// file, listed in build.cpp.
#pragma once

#include "simulator/base/registry.hpp"
#include "topologies/fabric_plans.hpp"
#include "topologies/hardware.hpp"
#include "topologies/node_builders.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

// `fabric.nodes` equal nodes, joined by the fabric (none for a single node). Throws std::invalid_argument when the
// specification cannot be built (a rail fabric without one NIC per GPU, leaf ports too few for one node, …): the
// message says what to change.
Topology build_topology(const NodeSpec& node, const FabricSpec& fabric);

struct NodeVariant {
  IntraKind kind = IntraKind::none;
  NodeBuilder build = nullptr;
};

struct FabricVariant {
  FabricKind kind = FabricKind::leaf_spine;
  FabricPlanner plan = nullptr;
};

// The kinds by the names that scenarios use ("nvlink-mesh", "rail-optimized", …).
const Registry<NodeVariant>& node_variants();
const Registry<FabricVariant>& fabric_variants();

}  // namespace trainsim
