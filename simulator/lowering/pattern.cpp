#include "simulator/lowering/pattern.hpp"

#include <algorithm>
#include <cassert>

namespace trainsim {

bool can_use(const PatternPhase& phase, Protocol protocol) {
  return std::ranges::all_of(phase.parts, [protocol](const PatternPart& part) { return part.bytes[protocol] > 0; });
}

Transfer under(const Pattern& pattern, const Protocols& protocols, double payload_factor) {
  assert(protocols.size() == pattern.phases.size());
  Transfer transfer;
  for (std::size_t p = 0; p < pattern.phases.size(); ++p) {
    Phase& phase = transfer.phases.emplace_back();
    for (const PatternPart& part : pattern.phases[p].parts) {
      phase.parts.push_back({part.latency_s[protocols[p]], part.bytes[protocols[p]] * payload_factor, part.uses});
    }
  }
  return transfer;
}

}  // namespace trainsim
