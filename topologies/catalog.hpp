// The accelerators and nodes that ship with trainsim, as YAML beside this file, each figure with its source.
//
// A catalog file has the keys that a scenario may write for a node or an accelerator (read_node, read_accelerator) and
// says where its figures come from (simulator/input/origins.hpp).
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

// A node or accelerator as a scenario names it (a catalog name) or writes it out: `base` plus changes, or everything
// (cluster.node of the format page). Faults go to the context; the result is then unusable.
// Beyond the format page: gpus_per_tray, intra.groups (bridge groups of an nvlink-mesh), intra.kind roce-mesh,
// nics.attached on-gpu, pcie.socket_bandwidth, pcie.latency.
Accelerator read_accelerator(const Node& node, const std::string& path, ReadContext& context);
NodeSpec read_node(const Node& node, const std::string& path, ReadContext& context);

// The node with only its first `gpus` GPUs: PCIe switches and bridge groups lose the others, and per-gpu NICs stay in
// proportion; a mesh of fixed links (xGMI) loses the links to them. REQUIRES: 1 <= gpus <= node.gpus.
NodeSpec with_gpus(NodeSpec node, std::uint32_t gpus);

// What one direction of a slot carries after line encoding (PCIe 3 to 5: 128b/130b; 6: 242 of 256 bytes of a flit),
// before packet headers: PCI Express Base Specification. Throws std::invalid_argument for another generation.
double pcie_bandwidth_bytes_per_s(std::uint32_t generation, std::uint32_t lanes);

std::string_view topology_catalog_sha256();

}  // namespace trainsim
