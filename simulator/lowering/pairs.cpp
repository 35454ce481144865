// Sends, and all-to-all as grouped sends: each pair is a connection of its own, one part for each distance between the
// two in the communicator. There is no LL128; a pair's LL channels reach only a small share of a link, so the pairs of
// a member together carry (pairs x ll_share) of it, at most half. A member's copy of the piece that it keeps goes
// through the same channels, at own_share of the cost.
#include <algorithm>
#include <stdexcept>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

constexpr double kMostOfLl = 0.5;  // every second word is a flag

struct Grouping {
  double pairs = 1.0;  // of one member
  double latency_factor = 1.0;
  double efficiency = 1.0;
};

PatternPart part_of(std::span<const Connection> connections, double bytes, const Grouping& group,
                    Communicator& communicator) {
  const CollectiveCatalog::Pairs& constants = communicator.context().catalog.pairs;
  Steps steps;
  PatternPart part;
  part.uses = communicator.uses(connections, steps);
  for (const Protocol protocol : {Protocol::ll, Protocol::simple}) {
    part.latency_s[protocol] = group.latency_factor * constants.base_latency_s[protocol] +
                               std::max(steps.intra_s[protocol], steps.inter_s[protocol]);
  }
  const ByProtocol shares = communicator.shares(part.uses, steps);
  const double ll_share = std::min(kMostOfLl, group.pairs * constants.ll_share);
  part.bytes[Protocol::ll] = wire_bytes(bytes, std::min(ll_share, shares[Protocol::ll]));
  part.bytes[Protocol::simple] = wire_bytes(bytes, group.efficiency * shares[Protocol::simple]);
  return part;
}

}  // namespace

Pattern all_to_all_pattern(Communicator& communicator) {
  const Position members = communicator.size();
  const CollectiveCatalog::Pairs& constants = communicator.context().catalog.pairs;
  const Grouping group{members - 1.0, constants.group_factor, constants.efficiency};
  const bool is_in_one_node = communicator.groups().nodes.size() == 1;
  const double own = is_in_one_node ? constants.own_share / group.pairs : 0.0;
  const double bytes = (1.0 + own) / members;
  std::vector<Connection> connections(members);
  PatternPhase phase;
  for (Position distance = 1; distance < members; ++distance) {
    for (Position from = 0; from < members; ++from) connections[from] = {from, (from + distance) % members};
    phase.parts.push_back(part_of(connections, bytes, group, communicator));
  }
  return {{std::move(phase)}};
}

Pattern send_pattern(Communicator& communicator) {
  if (communicator.size() != 2) throw std::invalid_argument("a send has one sender and one receiver");
  const Connection connection{0, 1};
  PatternPart part = part_of({&connection, 1}, 1.0, {}, communicator);
  if (communicator.groups().nodes.size() > 1) {
    for (const Protocol protocol : {Protocol::ll, Protocol::simple}) {
      part.latency_s[protocol] += communicator.context().send_delay_s;
    }
  }
  return {{{{std::move(part)}}}};
}

}  // namespace trainsim
