// What all Clos-like fabrics have in common: tiers of switch groups, leaf first. Each kind of fabric (leaf-spine, fat
// tree, rails) is only a FabricPlan; written-out `levels` are one directly.
//
// Sizes. A leaf switch of p ports with a tier above spends d = floor(p · os / (1 + os)) ports downwards and p - d
// upwards (os = oversubscription, down : up). A tier without a tier above spends all its ports downwards. A group of an
// upper tier given by `ports` joins d groups below it, each with one cable to each of its switches; one given by `gpus`
// covers so many GPUs (all rails together). An upper group's capacity upwards is that of the cables from below, divided
// by its os. A tier that holds all nodes is the last: what is written above it is not built.
// The last group of a tier may be partly filled; its switches and cables upwards are those of a full one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/hardware.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

// Which tiers have a group per rail (NIC j of every node, or of every tray of every node) instead of one for all NICs.
enum class RailLayout : std::uint8_t { none, leaf_only, all_tiers };

struct FabricPlan {
  std::vector<FabricLevel> levels;  // leaf first
  RailLayout rails = RailLayout::none;
};

// One tier that gets built.
struct Tier {
  std::string name;
  std::uint32_t nodes = 0;      // under one full group
  std::uint32_t switches = 1;   // that one group's vertex stands for
  std::uint32_t up_cables = 0;  // of one full group; 0 for the last tier
  double up_cable_bytes_per_s = 0.0;
  bool is_split_by_rail = false;
};

// Throws std::invalid_argument when the plan cannot hold the nodes.
std::vector<Tier> size_tiers(const FabricPlan& plan, const NodeSpec& node, const FabricSpec& fabric);

// Adds the switches and cables to a topology that already has all nodes, and its tier names.
void build_tiers(Topology& topology, const std::vector<Tier>& tiers, const NodeSpec& node, const FabricSpec& fabric);

}  // namespace trainsim
