// Ring collectives, chunk-pipelined: every member sends to the next at once, so one ring is one part; rings over
// several lanes of one rail, equal shares that end together, are one part as well. With n members over N nodes and S
// bytes, each connection carries, and as many steps pass before the last byte arrives as
//
//     all-reduce                 2 (n-1)/n S    2 (n-1) steps, 2 (N-1) of them between nodes
//     all-gather, reduce-scatter   (n-1)/n S      (n-1) steps,   (N-1)
//     broadcast                            S      (n-1) steps,   (N-1); nothing returns to the root
//     ring shift                           S          one step
//
// Thakur, Rabenseifner, Gropp 2005; the count of steps between nodes is NCCL's (src/graph/tuning.cc).
#include <algorithm>
#include <cassert>
#include <map>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

// Steps from the first byte to the last, within nodes and between them.
double steps_s(CollectiveKind kind, double rounds, const Communicator& communicator, const StepLatency& slowest) {
  const double inter_steps = static_cast<double>(communicator.groups().nodes.size()) - 1.0;
  if (kind == CollectiveKind::ring_shift) return inter_steps > 0 ? slowest.inter_s : slowest.intra_s;
  const double intra_steps = communicator.size() - 1.0 - inter_steps;
  return rounds * (intra_steps * slowest.intra_s + inter_steps * slowest.inter_s);
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

Transfer ring_transfer(const Collective& collective, Communicator& communicator) {
  const double members = communicator.size();
  const RingShape shape = shape_of(collective.kind, members);
  const std::vector<std::vector<Position>> orders = ring_orders(communicator);
  const double bytes = collective.bytes * shape.bytes_share / static_cast<double>(orders.size());
  StepLatency slowest;
  Phase phase;
  for (std::vector<Connection>& connections : connections_of_parts(orders, communicator)) {
    if (collective.kind == CollectiveKind::broadcast) {
      std::erase_if(connections, [](const Connection& connection) { return connection.to == 0; });
    }
    phase.parts.push_back(communicator.part(connections, bytes, slowest));
  }
  const double latency_s =
      communicator.context().catalog.base_latency_s + steps_s(collective.kind, shape.rounds, communicator, slowest);
  for (Part& part : phase.parts) part.latency_s = latency_s;
  return {{std::move(phase)}};
}

// Each pair exchanges S/n on its own: one part for each distance between the two in the communicator.
Transfer all_to_all_transfer(const Collective& collective, Communicator& communicator) {
  const Position members = communicator.size();
  const double bytes = collective.bytes / members;
  std::vector<Connection> connections(members);
  Phase phase;
  for (Position distance = 1; distance < members; ++distance) {
    for (Position from = 0; from < members; ++from) connections[from] = {from, (from + distance) % members};
    StepLatency slowest;
    Part part = communicator.part(connections, bytes, slowest);
    part.latency_s = communicator.context().catalog.base_latency_s + std::max(slowest.intra_s, slowest.inter_s);
    phase.parts.push_back(std::move(part));
  }
  return {{std::move(phase)}};
}

}  // namespace trainsim
