// All-reduce in the network's switches (SHARP; NCCL's CollNet): the members of a node gather each lane's share at the
// lane's head, over their own links; the head sends it to the first switch, once, and receives the sum, once:
//
//     2 (m-1)/m S between the m members of a node, S / lanes over each NIC and in each direction
//
// all at the same time, so one part within nodes and one over the NICs. Links between switches carry no more than those
// below them, since every switch adds up what it receives, and are left out. Small messages go as few chunks, with less
// latency and at a low rate: what stands here for LL.
#include <cassert>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

// The cables between the heads' NICs and the switches that they hang on, both ways, and the way to the NICs.
std::vector<LinkUse> uses_to_switches(Communicator& communicator, const std::vector<std::vector<Position>>& lanes) {
  const Topology& topology = communicator.context().router.topology();
  Steps unused;
  std::vector<Connection> connections;
  for (const std::vector<Position>& heads : lanes) {
    for (std::size_t node = 0; node < heads.size(); ++node) {
      connections.push_back({heads[node], heads[(node + 1) % heads.size()]});
    }
  }
  std::vector<LinkUse> uses = communicator.uses(connections, unused);
  std::erase_if(uses, [&](const LinkUse& use) { return topology.link(use.link).kind == LinkKind::fabric; });
  return uses;
}

PatternPart part_of(std::vector<LinkUse> uses, double bytes, const CollectiveCatalog::Collnet& constants) {
  PatternPart part{std::move(uses), constants.latency_s, {}};
  part.bytes[Protocol::ll] = wire_bytes(bytes, constants.ll_share);
  part.bytes[Protocol::simple] = bytes;
  return part;
}

}  // namespace

bool has_collnet(const Communicator& communicator) {
  return communicator.context().catalog.collnet.exists() && communicator.groups().nodes.size() > 1;
}

Pattern collnet_pattern(CollectiveKind kind, Communicator& communicator) {
  assert(kind == CollectiveKind::all_reduce);
  if (!has_collnet(communicator)) return ring_pattern(kind, communicator);
  const CollectiveCatalog::Collnet& constants = communicator.context().catalog.collnet;
  const NodeGroups& groups = communicator.groups();
  const std::vector<std::vector<Position>> lanes = heads_by_lane(communicator);
  const auto members = static_cast<double>(groups.largest_node());

  PatternPhase phase;
  phase.parts.push_back(
      part_of(uses_to_switches(communicator, lanes), 1.0 / static_cast<double>(lanes.size()), constants));
  if (groups.largest_node() > 1) {
    Steps unused;
    phase.parts.push_back(part_of(communicator.uses(rings_within_nodes(groups), unused),
                                  2.0 * (members - 1) / members / constants.nvlink_share, constants));
  }
  return {{std::move(phase)}};
}

}  // namespace trainsim
