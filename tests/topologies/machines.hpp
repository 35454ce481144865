// Small machines with round figures, and what every route must satisfy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "topologies/build.hpp"
#include "topologies/router.hpp"

namespace trainsim::testing {

inline constexpr double kNvlink = 100e9;
inline constexpr double kSlot = 32e9;
inline constexpr double kCable = 10e9;
inline constexpr double kHop = 1e-6;

// Eight GPUs unless asked otherwise, two to a PCIe switch, a NIC each. No latency but that of fabric switches.
inline NodeSpec node_of(std::uint32_t gpus = 8, IntraKind intra = IntraKind::nvswitch) {
  NodeSpec node;
  node.gpus = gpus;
  node.intra = intra;
  node.intra_bandwidth_bytes_per_s = kNvlink;
  node.pcie.lane_group_bandwidth_bytes_per_s = kSlot;
  node.pcie.socket_bandwidth_bytes_per_s = 3 * kSlot;
  node.pcie.sockets = 2;
  for (std::uint32_t gpu = 0; gpu + 1 < gpus; gpu += 2) node.pcie.switches.push_back({gpu, gpu + 1});
  node.nics.count = gpus;
  node.nics.bandwidth_bytes_per_s = kCable;
  return node;
}

inline FabricSpec fabric_of(FabricKind kind, std::uint32_t nodes, std::uint32_t leaf_ports = 64) {
  FabricSpec fabric;
  fabric.kind = kind;
  fabric.nodes = nodes;
  fabric.link_bandwidth_bytes_per_s = kCable;
  fabric.latency_s = kHop;
  fabric.leaf_ports = leaf_ports;
  return fabric;
}

inline std::vector<LinkId> all_links(const Topology& topology) {
  std::vector<LinkId> links;
  for (std::size_t i = 0; i < topology.link_count(); ++i) links.emplace_back(i);
  return links;
}

inline std::vector<VertexId> devices(const Topology& topology, DeviceKind kind) {
  std::vector<VertexId> result;
  for (std::size_t i = 0; i < topology.device_count(); ++i) {
    if (topology.device(VertexId(i)).kind == kind) result.emplace_back(i);
  }
  return result;
}

inline std::vector<VertexId> tier(const Topology& topology, std::uint16_t number) {
  std::vector<VertexId> result = devices(topology, DeviceKind::fabric_switch);
  std::erase_if(result, [&](VertexId vertex) { return topology.device(vertex).tier != number; });
  return result;
}

inline std::size_t count_links(const Topology& topology, LinkKind kind) {
  const auto links = all_links(topology);
  return static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [&](LinkId id) { return topology.link(id).kind == kind; }));
}

// Upward fabric links that leave tier `number`.
inline std::vector<LinkId> up_links(const Topology& topology, std::uint16_t number) {
  std::vector<LinkId> result = all_links(topology);
  std::erase_if(result, [&](LinkId id) {
    const Link& link = topology.link(id);
    return link.kind != LinkKind::fabric || !link.is_up || link.tier != number;
  });
  return result;
}

inline double up_capacity(const Topology& topology, std::uint16_t number) {
  double sum = 0.0;
  for (const LinkId id : up_links(topology, number)) sum += topology.link(id).capacity_bytes_per_s();
  return sum;
}

inline VertexId device_named(const Topology& topology, const std::string& name) {
  for (std::size_t i = 0; i < topology.device_count(); ++i) {
    if (topology.name(VertexId(i)) == name) return VertexId(i);
  }
  return VertexId(topology.device_count());
}

inline std::vector<LinkId> links_named(const Topology& topology, const std::string& name) {
  std::vector<LinkId> result = all_links(topology);
  std::erase_if(result, [&](LinkId id) { return topology.name(id) != name; });
  return result;
}

inline void remove_named(Topology& topology, const std::string& name, LinkKind kind) {
  for (const LinkId id : links_named(topology, name)) {
    if (topology.link(id).kind == kind) topology.remove_link(id);
  }
}

// "node0.gpu0 > node0.nvswitch0 > node0.gpu1"
inline std::string path_text(const Topology& topology, const std::vector<LinkId>& route) {
  std::string text = route.empty() ? "" : topology.name(topology.source(route.front()));
  for (const LinkId id : route) text += " > " + topology.name(topology.target(id));
  return text;
}

// From the one GPU to the other, link by link, over links that are there, none of them twice.
inline bool is_proper_route(const Topology& topology, const std::vector<LinkId>& route, GpuId from, GpuId to) {
  if (route.empty()) return from == to;
  if (topology.source(route.front()) != topology.vertex_of(from)) return false;
  if (topology.target(route.back()) != topology.vertex_of(to)) return false;
  std::set<LinkId> seen;
  for (std::size_t i = 0; i < route.size(); ++i) {
    if (i > 0 && topology.target(route[i - 1]) != topology.source(route[i])) return false;
    if (topology.link(route[i]).is_removed || !seen.insert(route[i]).second) return false;
  }
  return true;
}

// Whether a route meets no device twice (routes through host memory may).
inline bool is_simple(const Topology& topology, const std::vector<LinkId>& route) {
  std::set<VertexId> seen;
  if (!route.empty()) seen.insert(topology.source(route.front()));
  return std::all_of(route.begin(), route.end(), [&](LinkId id) { return seen.insert(topology.target(id)).second; });
}

}  // namespace trainsim::testing
