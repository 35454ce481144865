// One plan per kind of fabric, each in the file of its name; tiers.hpp builds them. The table is in build.cpp.
#pragma once

#include "topologies/hardware.hpp"
#include "topologies/tiers.hpp"

namespace trainsim {

// The kind's own tiers, or the written-out levels where there are any.
using FabricPlanner = FabricPlan (*)(const FabricSpec& fabric);

// One ideal switch with a port for every NIC (leaf_ports does not bound it: a chassis switch has hundreds).
FabricPlan plan_single_switch(const FabricSpec& fabric);

// All NICs of a node on one leaf; every leaf has cables to all spines.
FabricPlan plan_leaf_spine(const FabricSpec& fabric);

// Three tiers of equal switches: pods of leaf_ports / 2 leaves, joined by the core; at most leaf_ports pods.
// Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", SIGCOMM 2008.
FabricPlan plan_fat_tree(const FabricSpec& fabric);

// NIC j of every node of a unit on the unit's leaf for rail j; the rails meet in the spines.
FabricPlan plan_rail_optimized(const FabricSpec& fabric);

// As rail-optimized, but each rail has its own spines: rails meet only inside nodes.
// Wang et al., "Rail-only: a low-cost high-performance network for training LLMs with trillion parameters", 2023.
FabricPlan plan_rail_only(const FabricSpec& fabric);

}  // namespace trainsim
