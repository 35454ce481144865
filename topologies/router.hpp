// Routes between GPUs, taken from the graph the way NCCL and GPUDirect take them: over NVLink where there is a path; else
// the shortest PCIe path, through the host where the node has no peer-to-peer; to another node through the closest NIC,
// or, on rails, the NIC of the rail. Between switches: up to the lowest common tier, then down (a Clos has one such path
// of tier bundles). Removing a link changes the routes; a pair without a route is a NoRoute.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "simulator/base/ids.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct NoRoute : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NodeOptions {
  bool peer_to_peer = true;  // PCIe peer-to-peer between GPUs of one node
  bool gpudirect = true;     // NIC reads GPU memory without passing host memory
};

class Router {
 public:
  Router(const Topology& topology, NodeOptions options);

  // Links from `from` to `to` in travel order; empty when they are the same GPU. Throws NoRoute.
  [[nodiscard]] std::vector<LinkId> route(GpuId from, GpuId to) const;
  // Sum of the links' latencies, s.
  [[nodiscard]] double latency_s(const std::vector<LinkId>& route) const;
  // Whether both GPUs are in one node, i.e. one NVLink (or PCIe) domain.
  [[nodiscard]] bool same_node(GpuId a, GpuId b) const;
  // The NICs that the GPU would use towards another node, nearest first (one per rail or per GPU in most nodes).
  [[nodiscard]] std::vector<VertexId> nics_of(GpuId gpu) const;

  [[nodiscard]] const Topology& topology() const { return topology_; }

 private:
  const Topology& topology_;
  NodeOptions options_;
};

}  // namespace trainsim
