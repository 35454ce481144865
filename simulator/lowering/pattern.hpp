// What an algorithm asks of the links before a protocol is chosen: phases of parts, as in a Transfer, with latency and
// bytes for each protocol. Everything is linear in the payload, so a pattern of one byte serves all sizes.
#pragma once

#include <vector>

#include "simulator/lowering/protocol.hpp"
#include "simulator/lowering/transfer.hpp"

namespace trainsim {

struct PatternPart {
  std::vector<LinkUse> uses;  // each link once
  ByProtocol latency_s;
  ByProtocol bytes;  // on the wire, carried by one connection; 0: the protocol cannot be used
};

struct PatternPhase {
  std::vector<PatternPart> parts;
  double estimate_factor = 1.0;  // bytes by which the library estimates its time, over those on the wire
};

struct Pattern {
  std::vector<PatternPhase> phases;
};

// One protocol for each phase. REQUIRES: the phase's parts can use it.
using Protocols = std::vector<Protocol>;
Transfer under(const Pattern& pattern, const Protocols& protocols, double payload_factor);

[[nodiscard]] bool can_use(const PatternPhase& phase, Protocol protocol);

}  // namespace trainsim
