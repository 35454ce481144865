// One builder per kind of node interior, each in the file of its name. All add the PCIe skeleton first; they differ in
// what joins the GPUs besides it. The table is in build.cpp.
#pragma once

#include <cstdint>

#include "topologies/hardware.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

// A builder adds node number `node`. REQUIRES: check_pcie(spec) passed. Throws std::invalid_argument for what its own
// kind needs and does not find.
using NodeBuilder = void (*)(Topology& topology, const NodeSpec& spec, std::uint32_t node);

// Every GPU has its whole NVLink bandwidth into one non-blocking NVSwitch plane (the parallel chips are one vertex).
void build_nvswitch_node(Topology& topology, const NodeSpec& spec, std::uint32_t node);

// Every two GPUs of a bridge group have NVLinks of their own; a GPU's bandwidth is split evenly over its peers.
void build_nvlink_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node);

// The same of xGMI links, and of the accelerators' own Ethernet ports.
void build_xgmi_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node);
void build_roce_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node);

// GPUs meet over PCIe only.
void build_pcie_tree_node(Topology& topology, const NodeSpec& spec, std::uint32_t node);

// A single GPU: nothing to join.
void build_single_gpu_node(Topology& topology, const NodeSpec& spec, std::uint32_t node);

}  // namespace trainsim
