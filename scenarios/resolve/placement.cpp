#include "scenarios/resolve/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>

#include "scenarios/resolve/conditions.hpp"

namespace trainsim {
namespace {

// The leaf switch that a NIC of the node hangs on; all nodes share leaf 0 where there is no fabric. On rails a node
// hangs on several leaves: nodes with the same first leaf form a group.
std::uint32_t leaf_of(const Topology& topology, std::uint32_t node) {
  const Topology::Graph& graph = topology.graph();
  for (const VertexId vertex : topology.devices_of_node(node)) {
    if (topology.device(vertex).kind != DeviceKind::nic) continue;
    const auto [first, last] = boost::out_edges(vertex.index(), graph);
    for (auto edge = first; edge != last; ++edge) {
      const VertexId above{boost::target(*edge, graph)};
      if (topology.device(above).kind == DeviceKind::fabric_switch) return above.value;
    }
  }
  return 0;
}

std::vector<GpuId> gpus_of(const Topology& topology, const std::vector<std::uint32_t>& nodes, std::size_t per_node) {
  const std::size_t of_node = topology.gpus().size() / topology.node_count();
  std::vector<GpuId> gpus;
  gpus.reserve(nodes.size() * per_node);
  for (const std::uint32_t node : nodes) {
    for (std::size_t index = 0; index < per_node; ++index) gpus.emplace_back(node * of_node + index);
  }
  return gpus;
}

}  // namespace

FreeNodes::FreeNodes(const Topology& topology) : is_free_(topology.node_count(), true) {
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) leaf_of_node_.push_back(leaf_of(topology, node));
}

std::vector<std::uint32_t> FreeNodes::dealt() const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> nodes_of_leaf;
  for (std::uint32_t node = 0; node < is_free_.size(); ++node) {
    if (is_free_[node]) nodes_of_leaf[leaf_of_node_[node]].push_back(node);
  }
  std::vector<std::uint32_t> order;
  for (std::size_t turn = 0; order.size() < static_cast<std::size_t>(count()); ++turn) {
    for (const auto& [leaf, nodes] : nodes_of_leaf) {
      if (turn < nodes.size()) order.push_back(nodes[turn]);
    }
  }
  return order;
}

std::vector<std::uint32_t> FreeNodes::take(std::int64_t count, PlacementKind placement) {
  assert(count <= this->count() && placement != PlacementKind::file);
  std::vector<std::uint32_t> order = dealt();
  if (placement == PlacementKind::packed) std::sort(order.begin(), order.end());
  order.resize(static_cast<std::size_t>(count));
  for (const std::uint32_t node : order) hold(node);
  return order;
}

void FreeNodes::hold(std::uint32_t node) { is_free_[node] = false; }

std::int64_t FreeNodes::count() const { return std::count(is_free_.begin(), is_free_.end(), true); }

std::optional<std::vector<GpuId>> place_job(const ClusterSection& cluster, const JobSize& size,
                                            const Topology& topology, FreeNodes& free, Findings& findings) {
  if (cluster.placement != PlacementKind::file) {
    return gpus_of(topology, free.take(size.nodes, cluster.placement), static_cast<std::size_t>(size.gpus_per_node));
  }
  const std::filesystem::path beside = std::filesystem::path(findings.document().file).parent_path();
  std::optional<std::vector<GpuId>> gpus = read_ranks(beside / cluster.placement_file, size.gpus, topology, findings);
  for (const GpuId gpu : gpus.value_or(std::vector<GpuId>{})) free.hold(topology.node_of(gpu));
  return gpus;
}

std::vector<std::vector<GpuId>> place_tenants(const Conditions& conditions, const Topology& topology, FreeNodes& free,
                                              Findings& findings) {
  const std::size_t of_node = topology.gpus().size() / topology.node_count();
  std::vector<std::vector<GpuId>> placed;
  for (std::size_t i = 0; i < conditions.traffic.size(); ++i) {
    const TrafficTenant& tenant = conditions.traffic[i];
    if (tenant.nodes > free.count()) {
      findings.fault(tenant_key(findings.document(), TenantForm::traffic, i) + ".nodes",
                     fmt::format("{} nodes, but only {} are left beside the job and the tenants before", tenant.nodes,
                                 free.count()),
                     "fewer nodes, or a larger cluster.fabric.nodes");
      return placed;
    }
    placed.push_back(gpus_of(topology, free.take(tenant.nodes, tenant.placement), of_node));
  }
  return placed;
}

}  // namespace trainsim
