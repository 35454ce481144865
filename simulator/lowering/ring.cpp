// Ring collectives, chunk-pipelined: every member sends to the next at once, so one ring is one part; rings over
// several lanes of one rail, equal shares that end together, are one part as well. With n members over N nodes and S
// bytes, each connection carries, and as many steps pass before the last byte arrives as
//
//     all-reduce                 2 (n-1)/n S    2 (n-1) steps, 2 N of them between nodes
//     all-gather, reduce-scatter   (n-1)/n S      (n-1) steps,   N
//     broadcast                            S      (n-1) steps, N-1; nothing returns to the root
//     ring shift                           S          one step
//
// Thakur, Rabenseifner, Gropp 2005. A piece passes all connections of the ring but one; with several members in a node
// the last to arrive leave that one out inside a node, so they cross every border; with one member in each, N-1. Where
// all links
// are the accelerators' own, a member's copy of its own piece takes part of a step (ring_own_step): why two
// accelerators reach a lower bus bandwidth than eight.
#include <algorithm>
#include <cassert>
#include <map>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

bool is_one_round(CollectiveKind kind) {
  return kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
}

double steps_between_nodes(CollectiveKind kind, const Communicator& communicator) {
  const auto nodes = communicator.groups().nodes.size();
  const bool returns = kind == CollectiveKind::all_reduce || is_one_round(kind);
  const bool crosses_all = returns && nodes > 1 && nodes < communicator.size();
  return static_cast<double>(crosses_all ? nodes : nodes - 1);
}

// Latency of the steps from the first byte to the last.
double steps_s(CollectiveKind kind, double rounds, const Communicator& communicator, const Steps& steps,
               Protocol protocol) {
  const CollectiveCatalog& catalog = communicator.context().catalog;
  double inter_s = steps.inter_s[protocol];
  if (protocol == Protocol::simple && is_one_round(kind)) inter_s *= catalog.one_round_hop_factor;
  const double inter_steps = steps_between_nodes(kind, communicator);
  if (kind == CollectiveKind::ring_shift) return inter_steps > 0 ? inter_s : steps.intra_s[protocol];
  const double intra_steps = communicator.size() - 1.0 - inter_steps;
  return rounds * (intra_steps * steps.intra_s[protocol] + inter_steps * inter_s);
}

struct RingShape {
  double bytes_share = 0.0;  // of S, on each connection
  double rounds = 1.0;       // times round the ring
};

RingShape shape_of(CollectiveKind kind, double members) {
  const double others = (members - 1.0) / members;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {2.0 * others, 2.0};
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return {others, 1.0};
    default:
      return {1.0, 1.0};  // broadcast, shift
  }
}

void append_ring(const std::vector<Position>& order, std::vector<Connection>& connections) {
  for (std::size_t place = 0; place < order.size(); ++place) {
    connections.push_back({order[place], order[(place + 1) % order.size()]});
  }
}

// The connections of each part.
std::vector<std::vector<Connection>> connections_of_parts(const std::vector<std::vector<Position>>& orders,
                                                          Communicator& communicator) {
  const bool is_in_one_node = communicator.groups().nodes.size() == 1;
  std::vector<std::vector<Connection>> parts;
  std::map<std::uint32_t, std::size_t> part_of_rail;
  for (const std::vector<Position>& order : orders) {
    std::size_t part = parts.size();
    if (!is_in_one_node) part = part_of_rail.try_emplace(communicator.lane(order.front()).rail, part).first->second;
    if (part == parts.size()) parts.emplace_back();
    append_ring(order, parts[part]);
  }
  return parts;
}

}  // namespace

Pattern ring_pattern(CollectiveKind kind, Communicator& communicator) {
  const CollectiveCatalog& catalog = communicator.context().catalog;
  const RingShape shape = shape_of(kind, communicator.size());
  const std::vector<std::vector<Position>> orders = ring_orders(communicator);
  Steps steps;
  PatternPhase phase;
  for (std::vector<Connection>& connections : connections_of_parts(orders, communicator)) {
    if (kind == CollectiveKind::broadcast) {
      std::erase_if(connections, [](const Connection& connection) { return connection.to == 0; });
    }
    phase.parts.push_back({communicator.uses(connections, steps), {}, {}});
  }
  const bool copies =
      (kind == CollectiveKind::all_reduce || is_one_round(kind)) && !steps.leaves_node && !steps.uses_host;
  const double own_bytes = copies ? catalog.ring_own_step / communicator.size() : 0.0;
  const double bytes = (shape.bytes_share + own_bytes) / static_cast<double>(orders.size());
  for (PatternPart& part : phase.parts) {
    const ByProtocol shares = communicator.shares(part.uses, steps);
    for (const Protocol protocol : kAllProtocols) {
      part.latency_s[protocol] =
          catalog.base_latency_s[protocol] + steps_s(kind, shape.rounds, communicator, steps, protocol);
      part.bytes[protocol] = wire_bytes(bytes, shares[protocol]);
    }
  }
  return {{std::move(phase)}};
}

}  // namespace trainsim
