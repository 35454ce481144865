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
PatternPhase side_by_side(CollectiveKind kind, double share, const std::vector<std::vector<RankId>>& groups,
                          const LoweringContext& context) {
  PatternPhase phase;
  for (const std::vector<RankId>& ranks : groups) {
    Communicator communicator(ranks, context);
    Pattern pattern = ring_pattern(kind, communicator);
    for (PatternPart& part : pattern.phases.front().parts) {
      for (double& bytes : part.bytes.values) bytes *= share;
      phase.parts.push_back(std::move(part));
    }
  }
  return phase;
}

}  // namespace

Pattern hierarchical_pattern(CollectiveKind kind, Communicator& communicator) {
  assert(kind == CollectiveKind::all_reduce);
  const NodeGroups& groups = communicator.groups();
  if (!groups.has_equal_nodes()) {
    throw std::invalid_argument("hierarchical all-reduce needs as many ranks in every node");
  }
  if (groups.nodes.size() == 1 || groups.largest_node() == 1) return ring_pattern(kind, communicator);

  const std::size_t places = groups.largest_node();
  std::vector<std::vector<RankId>> within;
  std::vector<std::vector<RankId>> across(places);
  for (const auto& members : groups.nodes) {
    within.push_back(ranks_at(members, communicator.ranks()));
    for (std::size_t place = 0; place < places; ++place) across[place].push_back(within.back()[place]);
  }
  const LoweringContext& context = communicator.context();
  return {{side_by_side(CollectiveKind::reduce_scatter, 1.0, within, context),
           side_by_side(kind, 1.0 / static_cast<double>(places), across, context),
           side_by_side(CollectiveKind::all_gather, 1.0, within, context)}};
}

}  // namespace trainsim
