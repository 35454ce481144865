// Small machines with round figures, and what tests ask of Transfers.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "simulator/lowering/lowering.hpp"
#include "topologies/build.hpp"

namespace trainsim {

constexpr double kNvlinkBytesPerS = 400e9;
constexpr double kNicBytesPerS = 50e9;
constexpr double kNvlinkHop = 1e-6;
constexpr double kNetworkHop = 5e-6;
constexpr double kBase = 10e-6;
constexpr double kNvlinkWire = 0.5e-6;
constexpr double kSwitchWire = 1.5e-6;

inline NodeSpec round_node(std::uint32_t gpus, std::uint32_t nics) {
  NodeSpec node;
  node.name = "round";
  node.gpus = gpus;
  node.intra = IntraKind::nvswitch;
  node.intra_bandwidth_bytes_per_s = kNvlinkBytesPerS;
  node.intra_latency_s = kNvlinkWire;
  node.pcie.lane_group_bandwidth_bytes_per_s = 1000e9;  // never binds
  node.pcie.socket_bandwidth_bytes_per_s = 1000e9;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) node.pcie.switches.push_back({gpu});
  node.nics.count = nics;
  node.nics.bandwidth_bytes_per_s = kNicBytesPerS;
  return node;
}

inline FabricSpec round_fabric(std::uint32_t nodes, FabricKind kind = FabricKind::single_switch) {
  FabricSpec fabric;
  fabric.kind = kind;
  fabric.nodes = nodes;
  fabric.link_bandwidth_bytes_per_s = kNicBytesPerS;
  fabric.latency_s = kSwitchWire;
  fabric.leaf_ports = 1024;
  return fabric;
}

// Without losses, so that expected times need no efficiencies; all protocols alike, but that pairs have no LL128.
inline CollectiveCatalog round_catalog() {
  CollectiveCatalog catalog;
  const ByProtocol nvlink_hop = same_for_all(kNvlinkHop), network_hop = same_for_all(kNetworkHop);
  catalog.nvlink = {1.0, nvlink_hop};
  catalog.pcie = {1.0, nvlink_hop};
  catalog.socket = {1.0, nvlink_hop};
  catalog.nic = {1.0, network_hop};
  catalog.fabric = {1.0, network_hop};
  catalog.base_latency_s = same_for_all(kBase);
  catalog.pairs.base_latency_s = same_for_all(kBase);
  return catalog;
}

// A machine with one rank on each GPU.
class Machine {
 public:
  Machine(const NodeSpec& node, const FabricSpec& fabric, CollectiveCatalog constants = round_catalog())
      : topology(build_topology(node, fabric)), router(topology, NodeOptions{}), catalog(std::move(constants)) {
    for (std::size_t gpu = 0; gpu < topology.gpus().size(); ++gpu) {
      gpu_of_rank.emplace_back(gpu);
      all.emplace_back(gpu);
    }
  }
  Machine(std::uint32_t nodes, std::uint32_t gpus, std::uint32_t nics)
      : Machine(round_node(gpus, nics), round_fabric(nodes)) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] LoweringContext context() const { return {router, catalog, gpu_of_rank}; }
  [[nodiscard]] Transfer transfer(CollectiveKind kind, double bytes, std::string_view algorithm,
                                  std::span<const RankId> ranks) const {
    return transfer(kind, bytes, CollectiveChoice{.algorithm = std::string(algorithm)}, ranks);
  }
  [[nodiscard]] Transfer transfer(CollectiveKind kind, double bytes, const CollectiveChoice& choice,
                                  std::span<const RankId> ranks) const {
    return lower({.name = "test", .kind = kind, .bytes = bytes}, choice, ranks, context());
  }
  [[nodiscard]] Transfer transfer(CollectiveKind kind, double bytes, std::string_view algorithm = "ring") const {
    return transfer(kind, bytes, algorithm, all);
  }
  [[nodiscard]] double time_s(const Transfer& transfer) const { return idle_time_s(transfer, context()); }
  // Wire latency between GPUs of different nodes.
  [[nodiscard]] double network_wire_s() const {
    return router.latency_s(router.route(GpuId(0), GpuId(topology.gpus().size() / topology.node_count())));
  }
  [[nodiscard]] std::vector<RankId> first(std::size_t count) const {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  Topology topology;
  Router router;
  CollectiveCatalog catalog;
  std::vector<GpuId> gpu_of_rank;
  std::vector<RankId> all;
};

// Bytes over each link of a Transfer.
inline std::map<LinkId, double> loads(const Transfer& transfer) {
  std::map<LinkId, double> result;
  for (const Phase& phase : transfer.phases) {
    for (const Part& part : phase.parts) {
      for (const LinkUse& use : part.uses) result[use.link] += part.bytes * use.n;
    }
  }
  return result;
}

// Bytes that leave (or enter) a device over the Transfer's links.
inline double bytes_out_of(const Topology& topology, const std::map<LinkId, double>& load, VertexId device) {
  double sum = 0.0;
  for (const auto& [link, bytes] : load) sum += topology.source(link) == device ? bytes : 0.0;
  return sum;
}

inline double bytes_into(const Topology& topology, const std::map<LinkId, double>& load, VertexId device) {
  double sum = 0.0;
  for (const auto& [link, bytes] : load) sum += topology.target(link) == device ? bytes : 0.0;
  return sum;
}

inline double bytes_sent(const Topology& topology, const Transfer& transfer) {
  const std::map<LinkId, double> load = loads(transfer);
  double sum = 0.0;
  for (const VertexId gpu : topology.gpus()) sum += bytes_out_of(topology, load, gpu);
  return sum;
}

inline double bytes_received(const Topology& topology, const Transfer& transfer) {
  const std::map<LinkId, double> load = loads(transfer);
  double sum = 0.0;
  for (const VertexId gpu : topology.gpus()) sum += bytes_into(topology, load, gpu);
  return sum;
}

}  // namespace trainsim
