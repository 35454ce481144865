// What a catalog (or a scenario) says of hardware, before it becomes a graph. Bandwidths are per direction.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainsim {

// One GPU (or TPU, or NPU). Peaks are dense, without structured sparsity.
struct Accelerator {
  std::string name;
  std::string base;          // the catalog's entry it starts from, whose kernels it runs; empty if written out whole
  std::string architecture;  // volta | ampere | ada | hopper | blackwell | cdna3 | …: what software tunes for
  std::uint32_t processors = 0;                    // SMs or compute units
  std::map<std::string, double> peak_flops_per_s;  // by precision: fp32, tf32, fp16, bf16, fp8, nvfp4 …
  double memory_bytes = 0.0;                       // what the driver reports as usable
  double memory_bandwidth_bytes_per_s = 0.0;
  double power_w = 0.0;
  std::string source;
  std::vector<std::string> estimated;  // keys whose figure is a guess
};

enum class IntraKind : std::uint8_t { none, nvswitch, nvlink_mesh, xgmi_mesh, roce_mesh, pcie_tree };

// Of one tray, where a node has several.
struct PcieSpec {
  std::uint32_t generation = 4;
  std::uint32_t lanes = 16;
  double lane_group_bandwidth_bytes_per_s = 0.0;     // of a GPU's or NIC's slot, one direction
  double latency_s = 0.0;                            // per hop
  std::vector<std::vector<std::uint32_t>> switches;  // which GPUs share a PCIe switch; empty: each GPU on its socket
  std::uint32_t sockets = 2;
  double socket_bandwidth_bytes_per_s = 0.0;  // between sockets (UPI, xGMI), one direction
  bool peer_to_peer = true;
};

struct NicSpec {
  std::uint32_t count = 0;
  double bandwidth_bytes_per_s = 0.0;  // of one NIC, one direction
  std::string attached = "per-gpu";    // per-gpu | per-switch | per-socket | on-gpu (ports of the accelerator itself)
  bool gpudirect = true;
};

// One node: one NVLink domain. A tray is the host of its GPUs and NICs: what `pcie` and the CPU's figures describe.
struct NodeSpec {
  std::string name;
  Accelerator accelerator;
  std::uint32_t gpus = 8;
  std::uint32_t gpus_per_tray = 0;  // 0: the node is one tray
  IntraKind intra = IntraKind::nvswitch;
  double intra_bandwidth_bytes_per_s = 0.0;              // of one GPU into the domain, one direction
  double intra_latency_s = 0.0;                          // GPU to GPU, switch included
  std::vector<std::vector<std::uint32_t>> intra_groups;  // nvlink_mesh: which GPUs are bridged; empty: all together
  PcieSpec pcie;
  NicSpec nics;
  double cpu_memory_bytes = 0.0;
  double cpu_memory_bandwidth_bytes_per_s = 0.0;
  double power_w = 0.0;
  std::string source;
  std::vector<std::string> estimated;  // keys whose figure is a guess
};

// GPUs of a full tray; only a node's last tray may have fewer.
inline std::uint32_t gpus_of_tray(const NodeSpec& node) {
  return node.gpus_per_tray == 0 ? node.gpus : node.gpus_per_tray;
}
inline std::uint32_t trays_of(const NodeSpec& node) {
  return (node.gpus + gpus_of_tray(node) - 1) / gpus_of_tray(node);
}

// NICs of a full tray: the rails of a node whose NICs are spread evenly. 0 without NICs.
inline std::uint32_t rails_of(const NodeSpec& node) {
  const bool is_by_gpu = node.nics.attached == "per-gpu" || node.nics.attached == "on-gpu";
  if (trays_of(node) == 1) return node.nics.count;
  const std::uint64_t share = is_by_gpu ? gpus_of_tray(node) : 1;
  const std::uint64_t of = is_by_gpu ? node.gpus : trays_of(node);
  return static_cast<std::uint32_t>((share * node.nics.count + of - 1) / of);
}

enum class FabricKind : std::uint8_t { single_switch, leaf_spine, fat_tree, rail_optimized, rail_only };

// One written-out tier. The last one of a list spans everything.
struct FabricLevel {
  std::string name;
  std::optional<std::uint32_t> ports;  // of one switch, both sides
  std::optional<std::uint32_t> gpus;   // under one group of this tier
  double oversubscription = 1.0;       // of its links to the tier above: down : up
};

enum class RoutingKind : std::uint8_t { adaptive, ecmp, static_modulo };

struct FabricSpec {
  FabricKind kind = FabricKind::leaf_spine;
  std::uint32_t nodes = 0;                  // of the whole machine
  double link_bandwidth_bytes_per_s = 0.0;  // of one cable, one direction
  double latency_s = 1.5e-6;                // through one switch hop
  std::uint32_t leaf_ports = 64;
  double oversubscription = 1.0;    // leaf down : up
  std::vector<FabricLevel> levels;  // overrides kind's own tiers, leaf first
  RoutingKind routing = RoutingKind::adaptive;
  std::string protocol = "infiniband";  // infiniband | roce | efa | slingshot | ethernet-tcp
};

}  // namespace trainsim
