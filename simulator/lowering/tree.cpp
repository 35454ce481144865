// All-reduce over two trees at once (Sanders, Speck, Träff 2009): half the payload is reduced up one binary tree of
// nodes and broadcast down it, the other half over a second tree in which the first one's leaves are interior and the
// other way round (but for one node of an odd number), so each node sends and receives about twice the payload. Within
// a node the members form a chain that begins at the tree's member. Everything is chunk-pipelined:
//
//     latency = base + 2 ((largest node - 1) intra steps + depth inter steps), depth about log2(nodes)
//
// There is one pair of trees for each lane (a NIC of each node, all of one rail) that all nodes have, and the pairs of
// one rail make one part: both trees of a pair share their NIC, hence their pace. Each connection carries S / 2 /
// lanes, lengthened by what a tree achieves less than a ring over the same links (CollectiveCatalog::tree_efficiency).
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

// An in-order binary tree over positions 1 to n, whose odd positions are leaves: the root is the largest power of two,
// left of it hangs a perfect tree, right of it the same construction over the rest.
struct Tree {
  std::vector<std::uint32_t> parent;  // by position - 1; of the root: itself
  std::uint32_t depth = 0;            // edges from the root to the farthest leaf
};

std::uint32_t largest_power_of_two(std::uint32_t value) {
  std::uint32_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

// Fills in the subtree over positions first + 1 to first + count; returns its root's index.
std::uint32_t grow(Tree& tree, std::uint32_t first, std::uint32_t count, std::uint32_t level) {
  const std::uint32_t left = largest_power_of_two(count) - 1;
  const std::uint32_t root = first + left;
  tree.depth = std::max(tree.depth, level);
  tree.parent[root] = root;
  if (left > 0) tree.parent[grow(tree, first, left, level + 1)] = root;
  if (count > left + 1) tree.parent[grow(tree, root + 1, count - left - 1, level + 1)] = root;
  return root;
}

Tree binary_tree(std::uint32_t count) {
  Tree tree;
  tree.parent.resize(count);
  grow(tree, 0, count, 0);
  return tree;
}

// Both directions of the tree's edges between the nodes' heads, node i of the tree being (i + shift) % nodes.
void append_tree(const Tree& tree, const std::vector<Position>& heads, std::size_t shift,
                 std::vector<Connection>& connections) {
  const std::size_t count = heads.size();
  for (std::size_t index = 0; index < count; ++index) {
    if (tree.parent[index] == index) continue;
    const Position child = heads[(index + shift) % count];
    const Position parent = heads[(tree.parent[index] + shift) % count];
    connections.push_back({child, parent});
    connections.push_back({parent, child});
  }
}

// Both directions of the chain through a node's members from its head on, once for each tree.
void append_chain(const std::vector<Position>& members, Position head, std::uint32_t trees,
                  std::vector<Connection>& connections) {
  const auto start = static_cast<std::size_t>(std::find(members.begin(), members.end(), head) - members.begin());
  for (std::size_t step = 0; step + 1 < members.size(); ++step) {
    const Position above = members[(start + step) % members.size()];
    const Position below = members[(start + step + 1) % members.size()];
    connections.push_back({below, above, trees});
    connections.push_back({above, below, trees});
  }
}

}  // namespace

std::vector<std::vector<Position>> heads_by_lane(Communicator& communicator) {
  const auto& nodes = communicator.groups().nodes;
  if (nodes.size() == 1) return {{nodes.front().front()}};
  std::vector<std::vector<Position>> result;
  std::vector<Communicator::Lane> seen;
  for (const Position candidate : nodes.front()) {
    const Communicator::Lane lane = communicator.lane(candidate);
    if (std::find(seen.begin(), seen.end(), lane) != seen.end()) continue;
    seen.push_back(lane);
    std::vector<Position> heads;
    for (const auto& members : nodes) {
      const auto head = std::find_if(members.begin(), members.end(),
                                     [&](Position member) { return communicator.lane(member) == lane; });
      if (head == members.end()) break;
      heads.push_back(*head);
    }
    if (heads.size() == nodes.size()) result.push_back(std::move(heads));
  }
  if (result.empty()) {
    result.emplace_back();
    for (const auto& members : nodes) result.front().push_back(members.front());
  }
  return result;
}

DoubleTree double_tree(Communicator& communicator, const std::vector<std::vector<Position>>& lanes) {
  const Tree tree = binary_tree(static_cast<std::uint32_t>(communicator.groups().nodes.size()));
  std::map<std::uint32_t, std::vector<Connection>> connections_of_rail;
  for (const std::vector<Position>& heads : lanes) {
    std::vector<Connection>& connections = connections_of_rail[communicator.lane(heads.front()).rail];
    append_tree(tree, heads, 0, connections);
    append_tree(tree, heads, 1, connections);
  }
  DoubleTree result;
  result.depth = tree.depth;
  for (auto& [rail, connections] : connections_of_rail) result.rails.push_back(std::move(connections));
  return result;
}

Pattern tree_pattern([[maybe_unused]] CollectiveKind kind, Communicator& communicator) {
  assert(kind == CollectiveKind::all_reduce);
  const CollectiveCatalog& catalog = communicator.context().catalog;
  const auto& nodes = communicator.groups().nodes;
  const std::vector<std::vector<Position>> lanes = heads_by_lane(communicator);
  const std::uint32_t trees = nodes.size() == 1 ? 1 : 2;
  DoubleTree tree = double_tree(communicator, lanes);
  // The chains of a lane belong to its rail, in the order in which double_tree lists rails.
  std::map<std::uint32_t, std::vector<Connection>> chains_of_rail;
  for (const std::vector<Position>& heads : lanes) {
    std::vector<Connection>& chains = chains_of_rail[communicator.lane(heads.front()).rail];
    for (std::size_t node = 0; node < nodes.size(); ++node) append_chain(nodes[node], heads[node], trees, chains);
  }
  Steps steps;
  PatternPhase phase;
  for (auto rail = tree.rails.begin(); const auto& [number, chains] : chains_of_rail) {
    rail->insert(rail->end(), chains.begin(), chains.end());
    phase.parts.push_back({communicator.uses(*rail++, steps), {}, {}});
  }
  const bool is_long = communicator.groups().largest_node() > catalog.tree_most_ranks;
  const double chain_steps = static_cast<double>(communicator.groups().largest_node()) - 1.0;
  const double bytes = 1.0 / trees / static_cast<double>(lanes.size()) / catalog.tree_efficiency;
  for (PatternPart& part : phase.parts) {
    const ByProtocol shares = communicator.shares(part.uses, steps);
    for (const Protocol protocol : kAllProtocols) {
      const double hop_factor = protocol == Protocol::simple ? catalog.tree_hop_factor : 1.0;
      part.latency_s[protocol] =
          catalog.base_latency_s[protocol] +
          2.0 * (chain_steps * steps.intra_s[protocol] + tree.depth * hop_factor * steps.inter_s[protocol]);
      const bool can_use = !is_long || protocol == Protocol::ll || shares[Protocol::ll] == 0;
      part.bytes[protocol] = can_use ? wire_bytes(bytes, shares[protocol]) : 0.0;
    }
  }
  // Two nodes have no inner one that sends and receives the payload twice; NCCL estimates as if they had
  // (src/graph/tuning.cc), so it prefers rings for large payloads.
  if (nodes.size() == 2) phase.estimate_factor = 2.0;
  return {{std::move(phase)}};
}

}  // namespace trainsim
