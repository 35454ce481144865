#include "topologies/tiers.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace trainsim {
namespace {

struct NodeRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // one past the end
};

class TierBuilder {
 public:
  TierBuilder(Topology& topology, const std::vector<Tier>& tiers, const NodeSpec& node, const FabricSpec& fabric)
      : topology_(topology), tiers_(tiers), node_(node), fabric_(fabric), next_index_(tiers.size(), 0) {
    for (const Tier& tier : tiers) topology_.tier_names.push_back(tier.name);
  }

  void build() { add_group(tiers_.size() - 1, {0, fabric_.nodes}, {}); }

 private:
  // The switches of tier `t` for a range of nodes (one vertex, or one per rail), their cables to the tier above, and
  // everything below them.
  void add_group(std::size_t t, NodeRange nodes, const std::vector<VertexId>& parents) {
    const std::size_t vertices = tiers_[t].is_split_by_rail ? rails_of(node_) : 1;
    std::vector<VertexId> group;
    for (std::size_t rail = 0; rail < vertices; ++rail) {
      group.push_back(add_switches(t));
      if (!parents.empty()) topology_.add_duplex(group.back(), parents[rail % parents.size()], up_link(t));
    }
    if (t == 0) {
      plug_nics(nodes, group);
      return;
    }
    const std::uint32_t step = tiers_[t - 1].nodes;
    for (std::uint64_t first = nodes.first; first < nodes.last; first += step) {
      const auto last = std::min<std::uint64_t>(nodes.last, first + step);
      add_group(t - 1, {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)}, group);
    }
  }

  VertexId add_switches(std::size_t t) {
    constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
    return topology_.add_device({.kind = DeviceKind::fabric_switch,
                                 .index = next_index_[t]++,
                                 .tier = static_cast<std::uint16_t>(t),
                                 .count = static_cast<std::uint16_t>(std::min(tiers_[t].switches, kMost))});
  }

  Link up_link(std::size_t t) const {
    return {.kind = LinkKind::fabric,
            .bandwidth_bytes_per_s = tiers_[t].up_cable_bytes_per_s,
            .latency_s = fabric_.latency_s,
            .cables = tiers_[t].up_cables,
            .tier = static_cast<std::uint16_t>(t)};
  }

  void plug_nics(NodeRange nodes, const std::vector<VertexId>& leaves) {
    for (std::uint32_t node = nodes.first; node < nodes.last; ++node) {
      for (const VertexId vertex : topology_.devices_of_node(node)) {
        const Device& device = topology_.device(vertex);
        if (device.kind == DeviceKind::nic) plug_nic(vertex, leaves[device.rail % leaves.size()]);
      }
    }
  }

  // The latency is that of one switch, so only the way into it carries it: a route of k switches pays k times.
  void plug_nic(VertexId nic, VertexId leaf) {
    Link cable{.kind = LinkKind::nic,
               .bandwidth_bytes_per_s = std::min(node_.nics.bandwidth_bytes_per_s, fabric_.link_bandwidth_bytes_per_s),
               .latency_s = fabric_.latency_s,
               .is_up = true};
    topology_.add_link(nic, leaf, cable);
    cable.latency_s = 0.0;
    cable.is_up = false;
    topology_.add_link(leaf, nic, cable);
  }

  Topology& topology_;
  const std::vector<Tier>& tiers_;
  const NodeSpec& node_;
  const FabricSpec& fabric_;
  std::vector<std::uint32_t> next_index_;
};

}  // namespace

void build_tiers(Topology& topology, const std::vector<Tier>& tiers, const NodeSpec& node, const FabricSpec& fabric) {
  assert(!tiers.empty() && topology.node_count() == fabric.nodes);
  TierBuilder(topology, tiers, node, fabric).build();
}

}  // namespace trainsim
