#include <stdexcept>

#include "topologies/node_builders.hpp"
#include "topologies/pcie_skeleton.hpp"

namespace trainsim {

void build_nvswitch_node(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  if (spec.intra_bandwidth_bytes_per_s <= 0.0) {
    throw std::invalid_argument("an nvswitch node needs intra.bandwidth or intra.bandwidth_bidirectional");
  }
  const NodeParts parts = add_pcie_skeleton(topology, spec, node);
  const VertexId nvswitch = topology.add_device({.kind = DeviceKind::nvswitch, .node = node});
  for (const VertexId gpu : parts.gpus) {
    // The latency is that of GPU to GPU, so only the way into the switch carries it.
    Link link{.kind = LinkKind::nvlink,
              .bandwidth_bytes_per_s = spec.intra_bandwidth_bytes_per_s,
              .latency_s = spec.intra_latency_s,
              .is_up = true};
    topology.add_link(gpu, nvswitch, link);
    link.latency_s = 0.0;
    link.is_up = false;
    topology.add_link(nvswitch, gpu, link);
  }
}

}  // namespace trainsim
