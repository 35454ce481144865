#include "simulator/lowering/menu.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "simulator/lowering/algorithms.hpp"
#include "simulator/lowering/idle_time.hpp"

namespace trainsim {

double CollectiveMenu::PhaseCost::seconds(double bytes) const {
  double slowest_s = together.latency_s + bytes * together.s_per_byte;
  for (const Line& line : alone) slowest_s = std::max(slowest_s, line.latency_s + bytes * line.s_per_byte);
  return slowest_s;
}

namespace {

std::vector<PartLoad> loads_of(const PatternPhase& phase, Protocol protocol) {
  std::vector<PartLoad> loads;
  for (const PatternPart& part : phase.parts) {
    loads.push_back({&part.uses, part.bytes[protocol] * phase.estimate_factor});
  }
  return loads;
}

// How much more two protocols put on the wire, where that is the same for all parts.
std::optional<double> common_ratio(const PatternPhase& phase, Protocol protocol, Protocol reference) {
  constexpr double kRounding = 1e-12;
  const auto ratio = [&](const PatternPart& part) { return part.bytes[protocol] / part.bytes[reference]; };
  const double first = ratio(phase.parts.front());
  const bool is_common = std::ranges::all_of(
      phase.parts, [&](const PatternPart& part) { return std::abs(ratio(part) - first) <= kRounding * first; });
  return is_common ? std::optional(first) : std::nullopt;
}

}  // namespace

CollectiveMenu::Costs CollectiveMenu::costs_of(const PatternPhase& phase, const std::vector<Protocol>& protocols,
                                               const LoweringContext& context) {
  std::vector<double> alone_s_per_byte;
  for (const PatternPart& part : phase.parts) alone_s_per_byte.push_back(alone_s(part.uses, 1.0, context));
  Costs costs;
  for (const Protocol protocol : protocols) {
    PhaseCost cost;
    cost.together.latency_s = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < phase.parts.size(); ++p) {
      const double latency_s = phase.parts[p].latency_s[protocol];
      auto line = std::ranges::find(cost.alone, latency_s, &Line::latency_s);
      if (line == cost.alone.end()) line = cost.alone.insert(line, {latency_s, 0.0});
      const double bytes = phase.parts[p].bytes[protocol] * phase.estimate_factor;
      line->s_per_byte = std::max(line->s_per_byte, alone_s_per_byte[p] * bytes);
      cost.together.latency_s = std::min(cost.together.latency_s, latency_s);
    }
    if (phase.parts.size() > 1) {
      // The links are summed up once where protocols differ by one factor.
      const auto ratio = costs.empty() ? std::nullopt : common_ratio(phase, protocol, costs.front().first);
      cost.together.s_per_byte = ratio ? *ratio * costs.front().second.together.s_per_byte
                                       : busiest_shared_link_s(loads_of(phase, protocol), context);
    }
    costs.emplace_back(protocol, std::move(cost));
  }
  return costs;
}

void CollectiveMenu::add(const std::string& name, Pattern pattern, const std::vector<Protocol>& allowed,
                         const LoweringContext& context) {
  Lowered entry{name, std::move(pattern), {}};
  for (const PatternPhase& phase : entry.pattern.phases) {
    const auto usable = [&phase](std::span<const Protocol> among) {
      std::vector<Protocol> result;
      std::ranges::copy_if(among, std::back_inserter(result), [&](Protocol one) { return can_use(phase, one); });
      return result;
    };
    std::vector<Protocol> protocols = usable(allowed);
    if (protocols.empty()) protocols = usable(kAllProtocols);
    assert(!protocols.empty());
    entry.costs.push_back(costs_of(phase, protocols, context));
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
