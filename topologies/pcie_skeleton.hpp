// The part that every node has: CPUs (one per socket), PCIe switches, GPUs and NICs in their slots.
//
//        cpu0 ═══════ cpu1            ═ socket link
//       ┌──┴──┐      ┌──┴──┐
//     pcie0 pcie1  pcie2 pcie3        x16 up from each switch
//     ├ gpu0 ├ gpu2 …                 GPUs without a switch sit on their socket
//     ├ gpu1 ├ gpu3
//     ├ nic0 ├ nic2                   per-gpu NICs share their GPU's switch
//     └ nic1 └ nic3
//
// A node of several trays has all of that once per tray, and nothing between the trays.
#pragma once

#include <cstdint>
#include <vector>

#include "topologies/hardware.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct NodeParts {
  std::vector<VertexId> gpus;
  std::vector<VertexId> cpus;
  std::vector<VertexId> pcie_switches;
  std::vector<VertexId> nics;
};

// What is impossible in `spec` (a GPU behind two switches, no PCIe bandwidth, …) as std::invalid_argument whose message
// says what to change.
void check_pcie(const NodeSpec& spec);

// REQUIRES: check_pcie(spec) passed; nodes are added in order of their number.
NodeParts add_pcie_skeleton(Topology& topology, const NodeSpec& spec, std::uint32_t node);

}  // namespace trainsim
