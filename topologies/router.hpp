// Routes between GPUs, taken from the graph the way NCCL and GPUDirect take them: over NVLink where there is a path;
// else the shortest PCIe path, through the host where the node has no peer-to-peer; to another node through the closest
// NIC, or, on rails, the NIC of the rail. Between switches: up to the lowest common tier, then down (a Clos has one
// such path of tier bundles). Removing a link changes the routes; a pair without a route is a NoRoute.
//
// A GPU's NICs are those of its tray. On rails (a node's NICs are on different leaves), traffic for a GPU of another
// rail first goes over NVLink to the local GPU of that rail (NCCL's PXN); without NVLink it crosses rails in the fabric
// where they meet, else it takes another NIC.
//
// Not thread-safe, although const: routing fills caches. They follow Topology::revision(), so links may be removed
// between calls. The topology must outlive the router.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "simulator/base/ids.hpp"
#include "topologies/node_paths.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct NoRoute : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Router {
 public:
  Router(const Topology& topology, NodeOptions options);
  ~Router();
  Router(Router&&) noexcept;

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
  struct Caches;
  [[nodiscard]] Caches& caches() const;

  const Topology& topology_;
  NodeOptions options_;
  mutable std::unique_ptr<Caches> caches_;  // empty until the first route
};

}  // namespace trainsim
