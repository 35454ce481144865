// Paths inside nodes. Nodes whose devices and remaining links look the same share one shape, on which a path is
// searched once; so the cost of a machine is that of its few different nodes, not of its size.
// Not thread-safe: searching fills caches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "simulator/base/ids.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct NodeOptions {
  bool peer_to_peer = true;  // PCIe peer-to-peer between GPUs of one node
  bool gpudirect = true;     // NIC reads GPU memory without passing host memory
};

class NodePaths {
 public:
  NodePaths(const Topology& topology, NodeOptions options);
  ~NodePaths();

  // Each appends the links from one device to another of the same node, in travel order, or returns false and leaves
  // `route` alone when there is no way.
  // GPU to GPU: over NVLink where there is a path of at most two NVLinks; else the shortest way over PCIe and sockets.
  [[nodiscard]] bool append_gpu_to_gpu(VertexId from, VertexId to, std::vector<LinkId>& route);
  [[nodiscard]] bool append_over_nvlink(VertexId from, VertexId to, std::vector<LinkId>& route);
  [[nodiscard]] bool append_gpu_to_nic(VertexId gpu, VertexId nic, std::vector<LinkId>& route);
  [[nodiscard]] bool append_nic_to_gpu(VertexId nic, VertexId gpu, std::vector<LinkId>& route);

  // The NICs of the GPU's node that it reaches, fewest links first; of equally near ones, those first whose place among
  // the NICs is closest to the GPU's place among the GPUs.
  [[nodiscard]] std::vector<VertexId> nics_by_distance(VertexId gpu);

 private:
  struct Shape;
  struct NodeView {
    Shape* shape = nullptr;
    std::vector<LinkId> links;  // of the node, by the shape's numbering
  };

  NodeView& view_of(VertexId vertex);
  NodeView read_node(std::uint32_t node) const;
  template <class Search>
  bool append(VertexId from, VertexId to, std::vector<LinkId>& route, Search search);

  const Topology& topology_;
  NodeOptions options_;
  std::vector<std::uint32_t> place_in_node_;  // by vertex
  std::vector<NodeView> views_;               // by node, read at first use
  mutable std::map<std::vector<std::uint32_t>, std::unique_ptr<Shape>> shapes_;
};

}  // namespace trainsim
