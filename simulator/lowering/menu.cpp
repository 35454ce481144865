#include "simulator/lowering/menu.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "simulator/lowering/algorithms.hpp"
#include "simulator/lowering/idle_time.hpp"

namespace trainsim {

double CollectiveMenu::PhaseCost::seconds(double bytes) const {
  double slowest_s = together.latency_s + bytes * together.s_per_byte;
  for (const Line& line : alone) slowest_s = std::max(slowest_s, line.latency_s + bytes * line.s_per_byte);
  return slowest_s;
}

CollectiveMenu::PhaseCost CollectiveMenu::cost_of(const PatternPhase& phase, Protocol protocol,
                                                  const LoweringContext& context) {
  PhaseCost cost;
  std::vector<PartLoad> loads;
  cost.together.latency_s = std::numeric_limits<double>::infinity();
  for (const PatternPart& part : phase.parts) {
    const double latency_s = part.latency_s[protocol];
    auto line = std::ranges::find(cost.alone, latency_s, &Line::latency_s);
    if (line == cost.alone.end()) line = cost.alone.insert(line, {latency_s, 0.0});
    line->s_per_byte = std::max(line->s_per_byte, alone_s(part.uses, part.bytes[protocol], context));
    cost.together.latency_s = std::min(cost.together.latency_s, latency_s);
    loads.push_back({&part.uses, part.bytes[protocol]});
  }
  cost.together.s_per_byte = loads.size() < 2 ? 0.0 : busiest_shared_link_s(loads, context);
  return cost;
}

void CollectiveMenu::add(const std::string& name, Pattern pattern, const std::vector<Protocol>& allowed,
                         const LoweringContext& context) {
  Lowered entry{name, std::move(pattern), {}};
  for (const PatternPhase& phase : entry.pattern.phases) {
    auto& costs = entry.costs.emplace_back();
    const bool has_allowed =
        std::ranges::any_of(allowed, [&phase](Protocol protocol) { return can_use(phase, protocol); });
    for (const Protocol protocol : kAllProtocols) {
      const bool is_allowed = !has_allowed || std::ranges::find(allowed, protocol) != allowed.end();
      if (is_allowed && can_use(phase, protocol)) costs.emplace_back(protocol, cost_of(phase, protocol, context));
    }
    assert(!costs.empty());
  }
  lowered_.push_back(std::move(entry));
}

CollectiveMenu::CollectiveMenu(CollectiveKind kind, const CollectiveChoice& choice, std::span<const RankId> ranks,
                               const LoweringContext& context) {
  const std::vector<Protocol> allowed = protocols_named(choice.protocol);
  Communicator communicator(ranks, context);
  for (AlgorithmPattern& one : patterns(kind, choice, communicator)) {
    add(one.name, std::move(one.pattern), allowed, context);
  }
}

CollectiveMenu::Pick CollectiveMenu::fastest(double bytes) const {
  Pick best;
  double least_s = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < lowered_.size(); ++a) {
    Pick pick{a, {}};
    double sum_s = 0.0;
    for (const auto& costs : lowered_[a].costs) {
      double phase_s = std::numeric_limits<double>::infinity();
      pick.protocols.push_back(costs.front().first);
      for (const auto& [protocol, cost] : costs) {
        const double seconds = cost.seconds(bytes);
        if (seconds >= phase_s) continue;
        phase_s = seconds;
        pick.protocols.back() = protocol;
      }
      sum_s += phase_s;
    }
    if (sum_s >= least_s) continue;
    least_s = sum_s;
    best = std::move(pick);
  }
  return best;
}

Transfer CollectiveMenu::transfer(const Pick& pick, double bytes) const {
  return under(lowered_[pick.algorithm].pattern, pick.protocols, bytes);
}

}  // namespace trainsim
