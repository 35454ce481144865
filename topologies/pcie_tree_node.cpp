#include <stdexcept>

#include "topologies/node_builders.hpp"
#include "topologies/pcie_skeleton.hpp"

namespace trainsim {

void build_pcie_tree_node(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  add_pcie_skeleton(topology, spec, node);
}

void build_single_gpu_node(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  if (spec.gpus != 1) {
    throw std::invalid_argument("intra.kind none is for one GPU per node; GPUs that meet over PCIe are a pcie-tree");
  }
  add_pcie_skeleton(topology, spec, node);
}

}  // namespace trainsim
