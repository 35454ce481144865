// The algorithms behind lower(), one file each, for a payload of one byte. REQUIRES: at least two ranks, and a
// collective the algorithm has.
#pragma once

#include "simulator/lowering/connections.hpp"

namespace trainsim {

Pattern ring_pattern(CollectiveKind kind, Communicator& communicator);
Pattern tree_pattern(CollectiveKind kind, Communicator& communicator);
Pattern hierarchical_pattern(CollectiveKind kind, Communicator& communicator);
Pattern nvls_pattern(CollectiveKind kind, Communicator& communicator);
Pattern collnet_pattern(CollectiveKind kind, Communicator& communicator);
Pattern pat_pattern(CollectiveKind kind, Communicator& communicator);
Pattern all_to_all_pattern(Communicator& communicator);
Pattern send_pattern(Communicator& communicator);

struct AlgorithmPattern {
  std::string name;
  Pattern pattern;
};
// What `choice` allows, in the order of algorithm_names(); at least one.
std::vector<AlgorithmPattern> patterns(CollectiveKind kind, const CollectiveChoice& choice, Communicator& communicator);

// Whether the members of each node are more than one and share an NVLink switch that reduces.
bool has_nvls(Communicator& communicator);
// Whether there is a network that reduces between the members.
bool has_collnet(const Communicator& communicator);

// Shared by tree, nvls and collnet.

// One member of each node for each lane that all nodes have; each node's first member where they have none in common.
std::vector<std::vector<Position>> heads_by_lane(Communicator& communicator);
// Two binary trees of nodes, for each rail the connections between the heads of its lanes.
struct DoubleTree {
  std::vector<std::vector<Connection>> rails;
  std::uint32_t depth = 0;
};
DoubleTree double_tree(Communicator& communicator, const std::vector<std::vector<Position>>& lanes);
// Each member of a node to the next one, round.
std::vector<Connection> rings_within_nodes(const NodeGroups& groups);

}  // namespace trainsim
