// All-reduce in three phases that do not overlap: reduce-scatter within each node, all-reduce of each member's share
// over the nodes (one ring for each place in the node, side by side), all-gather within each node. Needs as many
// members in every node; over one node, or with one member in each, it is a ring.
#include <cassert>
#include <stdexcept>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

std::vector<RankId> ranks_at(const std::vector<Position>& members, std::span<const RankId> ranks) {
  std::vector<RankId> result;
  for (const Position member : members) result.push_back(ranks[member]);
  return result;
}

// The parts of the same collective over several groups of ranks, side by side.
Phase side_by_side(const Collective& collective, const std::vector<std::vector<RankId>>& groups,
                   const LoweringContext& context) {
  Phase phase;
  for (const std::vector<RankId>& ranks : groups) {
    Communicator communicator(ranks, context);
    Transfer transfer = ring_transfer(collective, communicator);
    for (Part& part : transfer.phases.front().parts) phase.parts.push_back(std::move(part));
  }
  return phase;
}

}  // namespace

Transfer hierarchical_transfer(const Collective& collective, Communicator& communicator) {
  assert(collective.kind == CollectiveKind::all_reduce);
  const NodeGroups& groups = communicator.groups();
  if (!groups.has_equal_nodes()) {
    throw std::invalid_argument("hierarchical all-reduce needs as many ranks in every node");
  }
  if (groups.nodes.size() == 1 || groups.largest_node() == 1) return ring_transfer(collective, communicator);

  const std::size_t places = groups.largest_node();
  std::vector<std::vector<RankId>> within;
  std::vector<std::vector<RankId>> across(places);
  for (const auto& members : groups.nodes) {
    within.push_back(ranks_at(members, communicator.ranks()));
    for (std::size_t place = 0; place < places; ++place) across[place].push_back(within.back()[place]);
  }
  const LoweringContext& context = communicator.context();
  Collective scatter = collective;
  scatter.kind = CollectiveKind::reduce_scatter;
  Collective share = collective;
  share.bytes /= static_cast<double>(places);
  Collective gather = collective;
  gather.kind = CollectiveKind::all_gather;
  return {{side_by_side(scatter, within, context), side_by_side(share, across, context),
           side_by_side(gather, within, context)}};
}

}  // namespace trainsim
