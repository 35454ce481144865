#include "topologies/build.hpp"

#include <cassert>
#include <stdexcept>
#include <string>

#include "topologies/pcie_skeleton.hpp"

namespace trainsim {
namespace {

Registry<NodeVariant> make_node_variants() {
  Registry<NodeVariant> table;
  table.add("nvswitch", "every GPU at full NVLink bandwidth into a switch", {IntraKind::nvswitch, build_nvswitch_node});
  table.add("nvlink-mesh", "NVLinks between every two GPUs of a bridge group",
            {IntraKind::nvlink_mesh, build_nvlink_mesh_node});
  table.add("xgmi-mesh", "xGMI links between every two GPUs", {IntraKind::xgmi_mesh, build_xgmi_mesh_node});
  table.add("roce-mesh", "Ethernet ports of the accelerators between every two of them",
            {IntraKind::roce_mesh, build_roce_mesh_node});
  table.add("pcie-tree", "GPUs meet over PCIe switches and sockets", {IntraKind::pcie_tree, build_pcie_tree_node});
  table.add("none", "one GPU per node", {IntraKind::none, build_single_gpu_node});
  return table;
}

Registry<FabricVariant> make_fabric_variants() {
  Registry<FabricVariant> table;
  table.add("single-switch", "one ideal switch", {FabricKind::single_switch, plan_single_switch});
  table.add("leaf-spine", "leaves joined by spines", {FabricKind::leaf_spine, plan_leaf_spine});
  table.add("fat-tree", "leaves, spines of a pod, core", {FabricKind::fat_tree, plan_fat_tree});
  table.add("rail-optimized", "a leaf per rail and unit of nodes, rails meet in the spines",
            {FabricKind::rail_optimized, plan_rail_optimized});
  table.add("rail-only", "a leaf-spine fabric per rail, rails meet only inside nodes",
            {FabricKind::rail_only, plan_rail_only});
  return table;
}

template <class Variant, class Kind>
const Variant& variant_of(const Registry<Variant>& table, Kind kind) {
  for (const auto& entry : table.entries()) {
    if (entry.value.kind == kind) return entry.value;
  }
  throw std::invalid_argument("no builder is registered for this kind");
}

void check_fabric(const NodeSpec& node, const FabricSpec& fabric, RailLayout rails) {
  if (node.nics.count == 0) {
    throw std::invalid_argument("the nodes have no NICs, so several of them cannot be joined; give nics.count");
  }
  if (fabric.link_bandwidth_bytes_per_s <= 0.0) throw std::invalid_argument("fabric.link must be above 0");
  if (rails != RailLayout::none && node.nics.count != node.gpus) {
    throw std::invalid_argument("a rail fabric needs one NIC per GPU; the node has " + std::to_string(node.nics.count) +
                                " NICs for " + std::to_string(node.gpus) + " GPUs (leaf-spine takes any number)");
  }
}

}  // namespace

const Registry<NodeVariant>& node_variants() {
  static const Registry<NodeVariant> table = make_node_variants();
  return table;
}

const Registry<FabricVariant>& fabric_variants() {
  static const Registry<FabricVariant> table = make_fabric_variants();
  return table;
}

Topology build_topology(const NodeSpec& node, const FabricSpec& fabric) {
  if (fabric.nodes == 0) throw std::invalid_argument("a machine needs at least one node");
  check_pcie(node);
  Topology topology;
  const NodeBuilder build_node = variant_of(node_variants(), node.intra).build;
  for (std::uint32_t i = 0; i < fabric.nodes; ++i) build_node(topology, node, i);
  if (fabric.nodes == 1) return topology;

  const FabricPlan plan = variant_of(fabric_variants(), fabric.kind).plan(fabric);
  check_fabric(node, fabric, plan.rails);
  build_tiers(topology, size_tiers(plan, node, fabric), node, fabric);
  return topology;
}

}  // namespace trainsim
