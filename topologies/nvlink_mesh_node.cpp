#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "topologies/node_builders.hpp"
#include "topologies/pcie_skeleton.hpp"

namespace trainsim {
namespace {

std::vector<std::vector<std::uint32_t>> bridge_groups(const NodeSpec& spec) {
  if (!spec.intra_groups.empty()) return spec.intra_groups;
  std::vector<std::uint32_t> all(spec.gpus);
  std::iota(all.begin(), all.end(), 0U);
  return {all};
}

void check_groups(const NodeSpec& spec, const std::vector<std::vector<std::uint32_t>>& groups) {
  std::set<std::uint32_t> seen;
  for (const auto& group : groups) {
    for (const std::uint32_t gpu : group) {
      if (gpu < spec.gpus && seen.insert(gpu).second) continue;
      throw std::invalid_argument("intra.groups must name each GPU of 0 to " + std::to_string(spec.gpus - 1) +
                                  " at most once; it has " + std::to_string(gpu));
    }
  }
}

void build_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node, LinkKind kind) {
  if (spec.intra_bandwidth_bytes_per_s <= 0.0) {
    throw std::invalid_argument("a mesh of GPUs needs intra.bandwidth or intra.bandwidth_bidirectional");
  }
  const auto groups = bridge_groups(spec);
  check_groups(spec, groups);
  const NodeParts parts = add_pcie_skeleton(topology, spec, node);
  for (const auto& group : groups) {
    for (const std::uint32_t a : group) {
      for (const std::uint32_t b : group) {
        if (a == b) continue;
        const double share = spec.intra_bandwidth_bytes_per_s / static_cast<double>(group.size() - 1);
        topology.add_link(parts.gpus[a], parts.gpus[b],
                          {.kind = kind, .bandwidth_bytes_per_s = share, .latency_s = spec.intra_latency_s});
      }
    }
  }
}

}  // namespace

void build_nvlink_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  build_mesh_node(topology, spec, node, LinkKind::nvlink);
}

void build_xgmi_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  build_mesh_node(topology, spec, node, LinkKind::xgmi);
}

void build_roce_mesh_node(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  build_mesh_node(topology, spec, node, LinkKind::roce);
}

}  // namespace trainsim
