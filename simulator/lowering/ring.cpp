// Ring collectives, chunk-pipelined: every member sends to the next at once, so one ring is one part. With n members
// over N nodes and S bytes, each connection carries, and as many steps pass before the last byte arrives as
//
//     all-reduce                 2 (n-1)/n S    2 (n-1) steps, 2 (N-1) of them between nodes
//     all-gather, reduce-scatter   (n-1)/n S      (n-1) steps,   (N-1)
//     broadcast                            S      (n-1) steps,   (N-1); nothing returns to the root
//
// Thakur, Rabenseifner, Gropp 2005; the count of steps between nodes is NCCL's (src/graph/tuning.cc).
#include <algorithm>
#include <cassert>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

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
      return {1.0, 1.0};  // broadcast
  }
}

std::vector<Connection> ring_connections(const std::vector<Position>& order) {
  std::vector<Connection> connections;
  connections.reserve(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    connections.push_back({order[place], order[(place + 1) % order.size()]});
  }
  return connections;
}

}  // namespace

Transfer ring_transfer(const Collective& collective, Communicator& communicator) {
  const double members = communicator.size();
  const RingShape shape = shape_of(collective.kind, members);
  const std::vector<std::vector<Position>> orders = ring_orders(communicator);
  const double bytes = collective.bytes * shape.bytes_share / static_cast<double>(orders.size());
  StepLatency slowest;
  Phase phase;
  for (const std::vector<Position>& order : orders) {
    std::vector<Connection> connections = ring_connections(order);
    if (collective.kind == CollectiveKind::broadcast) {
      std::erase_if(connections, [](const Connection& connection) { return connection.to == 0; });
    }
    phase.parts.push_back(communicator.part(connections, bytes, slowest));
  }
  const double inter_steps = static_cast<double>(communicator.groups().nodes.size()) - 1.0;
  const double intra_steps = members - 1.0 - inter_steps;
  const double latency_s = communicator.context().catalog.base_latency_s +
                           shape.rounds * (intra_steps * slowest.intra_s + inter_steps * slowest.inter_s);
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
