#include "scenarios/resolve/machine.hpp"

#include <fmt/format.h>

#include "scenarios/format/forms.hpp"
#include "scenarios/resolve/names.hpp"
#include "scenarios/resolve/plan.hpp"

namespace trainsim {
namespace {

std::int64_t nodes_of_tenants(const Conditions& conditions) {
  std::int64_t nodes = 0;
  for (const TrafficTenant& tenant : conditions.traffic) nodes += tenant.nodes;
  return nodes;
}

bool is_on_rails(FabricKind kind) { return kind == FabricKind::rail_optimized || kind == FabricKind::rail_only; }

// False, with a fault, when the machine is too small for what runs on it, or too large to be simulated.
bool check_nodes(const Scenario& scenario, std::int64_t job_nodes, Findings& findings) {
  const std::int64_t nodes = *scenario.cluster.fabric.nodes;
  const std::int64_t tenants = nodes_of_tenants(scenario.conditions);
  if (nodes < job_nodes + tenants) {
    findings.fault("cluster.fabric.nodes",
                   tenants == 0 ? fmt::format("{} nodes are too few for the job's {}", nodes, job_nodes)
                                : fmt::format("{} nodes are too few for the job's {} and its tenants' {}", nodes,
                                              job_nodes, tenants),
                   fmt::format("at least {}", job_nodes + tenants));
    return false;
  }
  const std::int64_t gpus = saturating_product({nodes, scenario.cluster.node.gpus});
  if (gpus > kMostGpus) {
    findings.fault("cluster.fabric.nodes",
                   fmt::format("{} nodes of {} GPUs are too many", nodes, scenario.cluster.node.gpus),
                   fmt::format("at most {} GPUs", kMostGpus));
    return false;
  }
  return true;
}

// False, with a fault, when the node's NICs cannot carry what the fabric asks of them.
bool check_nics(const ClusterSection& cluster, Findings& findings) {
  const std::int64_t nics = *cluster.fabric.nics_per_node;
  if (*cluster.fabric.nodes == 1) return true;  // no fabric is built
  if (nics == 0) {
    findings.fault("cluster.node", fmt::format("it has no NIC, but the machine has {} nodes", *cluster.fabric.nodes),
                   "a node with NICs, or a single node");
    return false;
  }
  if (is_on_rails(*cluster.fabric.kind) && nics != cluster.node.gpus) {
    findings.fault("cluster.fabric.kind",
                   fmt::format("{} needs one NIC for each of a node's {} GPUs, but there are {}",
                               name_of(*cluster.fabric.kind), cluster.node.gpus, nics),
                   "leaf-spine, fat-tree or single-switch");
    return false;
  }
  return true;
}

}  // namespace

std::optional<JobSize> resolve_size(const ClusterSection& cluster, Findings& findings) {
  const std::int64_t of_node = cluster.node.gpus;
  const std::int64_t per_node = cluster.gpus_per_node.value_or(of_node);
  if (per_node > of_node) {
    findings.fault("cluster.gpus_per_node", fmt::format("{} GPUs, but a node has {}", per_node, of_node),
                   fmt::format("at most {}", of_node));
    return std::nullopt;
  }
  const std::string size_key = cluster.nodes ? "cluster.nodes" : "cluster.gpus";
  const std::int64_t gpus = cluster.nodes ? saturating_product({*cluster.nodes, per_node}) : cluster.gpus.value_or(0);
  if (gpus > kMostGpus) {
    findings.fault(size_key, fmt::format("{} GPUs are too many", gpus), fmt::format("at most {}", kMostGpus));
    return std::nullopt;
  }
  if (gpus < per_node) return JobSize{1, gpus, gpus};
  if (gpus % per_node != 0) {
    const std::int64_t below = gpus / per_node * per_node;
    findings.fault(size_key, fmt::format("{} GPUs are no whole number of nodes of {}", gpus, per_node),
                   fmt::format("a multiple of {}, such as {} or {}, or fewer than {}", per_node, below,
                               below + per_node, per_node));
    return std::nullopt;
  }
  return JobSize{gpus / per_node, per_node, gpus};
}

NodeSpec node_of(const ClusterSection& cluster) {
  NodeSpec node = cluster.node;
  if (cluster.fabric.nics_per_node) node.nics.count = static_cast<std::uint32_t>(*cluster.fabric.nics_per_node);
  return node;
}

std::optional<FabricSpec> resolve_fabric(Scenario& scenario, const JobSize& size, Findings& findings) {
  ClusterSection& cluster = scenario.cluster;
  ClusterSection::Fabric& fabric = cluster.fabric;
  if (!fabric.nodes) fabric.nodes = size.nodes + nodes_of_tenants(scenario.conditions);
  if (!fabric.nics_per_node) fabric.nics_per_node = cluster.node.nics.count;
  if (!fabric.link_bytes_per_s) fabric.link_bytes_per_s = cluster.node.nics.bandwidth_bytes_per_s;
  if (!fabric.kind) {
    const bool has_nic_per_gpu = *fabric.nics_per_node == cluster.node.gpus;
    fabric.kind = has_nic_per_gpu ? FabricKind::rail_optimized : FabricKind::leaf_spine;
  }
  const bool are_nodes_right = check_nodes(scenario, size.nodes, findings);
  if (!check_nics(cluster, findings) || !are_nodes_right) return std::nullopt;

  FabricSpec spec;
  spec.kind = *fabric.kind;
  spec.nodes = static_cast<std::uint32_t>(*fabric.nodes);
  spec.link_bandwidth_bytes_per_s = *fabric.link_bytes_per_s;
  spec.latency_s = fabric.latency_s;
  spec.leaf_ports = static_cast<std::uint32_t>(fabric.leaf_ports);
  spec.oversubscription = fabric.oversubscription;
  spec.levels = fabric.levels;
  spec.routing = fabric.routing;
  spec.protocol = fabric.protocol;
  return spec;
}

}  // namespace trainsim
