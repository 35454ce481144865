// All-reduce in the NVLink switch (NCCL's NVLS): the switch adds up what the members of a node hold and stores the sum
// to all of them, so with m members each one's link carries
//
//     (m+1)/m S in each direction: its S to be added and 1/m of the sum, against 2 (m-1)/m S on a ring
//
// one part over the links between members and switch. Over several nodes (NVLSTree) the sums of the nodes' shares
// travel a double binary tree of nodes, each lane with its own, at the same time and at a tree's pace: further parts of
// the same phase. The switch's kernels use the protocol Simple only.
#include <cassert>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

bool is_through_switch(Communicator& communicator, Connection connection) {
  const Topology& topology = communicator.context().router.topology();
  const std::span<const LinkId> links = communicator.route(connection).links;
  return links.size() == 2 && topology.device(topology.target(links.front())).kind == DeviceKind::nvswitch;
}

PatternPart simple_part(std::vector<LinkUse> uses, double latency_s, double bytes) {
  PatternPart part{std::move(uses), {}, {}};
  part.latency_s[Protocol::simple] = latency_s;
  part.bytes[Protocol::simple] = bytes;
  return part;
}

}  // namespace

std::vector<Connection> rings_within_nodes(const NodeGroups& groups) {
  std::vector<Connection> connections;
  for (const auto& members : groups.nodes) {
    for (std::size_t place = 0; place < members.size(); ++place) {
      connections.push_back({members[place], members[(place + 1) % members.size()]});
    }
  }
  return connections;
}

bool has_nvls(Communicator& communicator) {
  const CollectiveCatalog::Nvls& constants = communicator.context().catalog.nvls;
  const NodeGroups& groups = communicator.groups();
  if (constants.share == 0 || !groups.has_equal_nodes()) return false;
  if (groups.largest_node() < 2 || groups.largest_node() > constants.most_ranks) return false;
  for (const auto& members : groups.nodes) {
    for (std::size_t place = 0; place < members.size(); ++place) {
      if (!is_through_switch(communicator, {members[place], members[(place + 1) % members.size()]})) return false;
    }
  }
  return true;
}

Pattern nvls_pattern(CollectiveKind kind, Communicator& communicator) {
  assert(kind == CollectiveKind::all_reduce);
  if (!has_nvls(communicator)) return ring_pattern(kind, communicator);
  const CollectiveCatalog& catalog = communicator.context().catalog;
  const NodeGroups& groups = communicator.groups();
  const auto members = static_cast<double>(groups.largest_node());
  const bool is_tree = groups.nodes.size() > 1;
  const double pace = is_tree ? catalog.tree_efficiency : 1.0;

  Steps within, between;
  PatternPhase phase;
  const std::vector<Connection> rings = rings_within_nodes(groups);
  phase.parts.push_back(
      simple_part(communicator.uses(rings, within), 0.0, (members + 1) / members / catalog.nvls.share / pace));
  double latency_s = catalog.nvls.latency_s;
  if (is_tree) {
    const std::vector<std::vector<Position>> lanes = heads_by_lane(communicator);
    const DoubleTree tree = double_tree(communicator, lanes);
    for (const std::vector<Connection>& rail : tree.rails) {
      phase.parts.push_back(
          simple_part(communicator.uses(rail, between), 0.0, 0.5 / static_cast<double>(lanes.size()) / pace));
    }
    latency_s += 2.0 * tree.depth * catalog.tree_hop_factor * between.inter_s[Protocol::simple];
  }
  for (PatternPart& part : phase.parts) part.latency_s[Protocol::simple] = latency_s;
  return {{std::move(phase)}};
}

}  // namespace trainsim
