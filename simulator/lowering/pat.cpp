// Parallel aggregated trees (NCCL's PAT): all-gather and reduce-scatter with one member per node in ceil(log2 n) rounds
// that are pipelined. In the round of distance d each member passes on what it holds, min(d, n - d) pieces of S/n, so
// every member sends (n-1)/n S as in a ring, but over longer ways; a part of connections of one piece each, as many as
// pieces. More than one member per node, or an all-reduce, is a ring.
#include <algorithm>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {

Pattern pat_pattern(CollectiveKind kind, Communicator& communicator) {
  const bool has_it = kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
  const Position members = communicator.size();
  if (!has_it || communicator.groups().largest_node() > 1) return ring_pattern(kind, communicator);
  const CollectiveCatalog& catalog = communicator.context().catalog;
  std::vector<Connection> connections;
  double rounds = 0.0;
  for (Position distance = 1; distance < members; distance *= 2) {
    const Position pieces = std::min(distance, members - distance);
    for (Position from = 0; from < members; ++from) {
      connections.push_back({from, (from + distance) % members, pieces});
    }
    rounds += 1.0;
  }
  Steps steps;
  PatternPart part{communicator.uses(connections, steps), {}, {}};
  part.latency_s[Protocol::simple] = catalog.base_latency_s[Protocol::simple] +
                                     rounds * catalog.one_round_hop_factor * steps.inter_s[Protocol::simple];
  part.bytes[Protocol::simple] = 1.0 / members / catalog.pat_efficiency;
  return {{{{std::move(part)}}}};
}

}  // namespace trainsim
