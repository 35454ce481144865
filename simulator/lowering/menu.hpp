// What one communicator can do for one kind of collective: the algorithms that are allowed, each lowered once, and what
// each would take for any payload under each protocol. NCCL chooses in the same way, by its own estimates.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/lowering/lowering.hpp"
#include "simulator/lowering/pattern.hpp"

namespace trainsim {

class CollectiveMenu {
 public:
  // Throws as lower() does. REQUIRES: at least two ranks.
  CollectiveMenu(CollectiveKind kind, const CollectiveChoice& choice, std::span<const RankId> ranks,
                 const LoweringContext& context);

  struct Pick {
    std::size_t algorithm = 0;
    Protocols protocols;  // by phase
    friend auto operator<=>(const Pick&, const Pick&) = default;
  };
  // The one that takes least on an idle machine by the library's estimate; of equal ones the first.
  [[nodiscard]] Pick fastest(double bytes) const;
  [[nodiscard]] Transfer transfer(const Pick& pick, double bytes) const;
  [[nodiscard]] const std::string& algorithm_of(const Pick& pick) const { return lowered_[pick.algorithm].name; }

 private:
  // Estimated seconds of a phase on an idle machine, see idle_time_s: latency + bytes x s_per_byte, where parts of
  // equal latency are one line.
  struct Line {
    double latency_s = 0.0;
    double s_per_byte = 0.0;
  };
  struct PhaseCost {
    std::vector<Line> alone;
    Line together;
    [[nodiscard]] double seconds(double bytes) const;
  };
  using Costs = std::vector<std::pair<Protocol, PhaseCost>>;  // of each protocol that can be used
  struct Lowered {
    std::string name;
    Pattern pattern;
    std::vector<Costs> costs;  // by phase
  };
  static Costs costs_of(const PatternPhase& phase, const std::vector<Protocol>& protocols,
                        const LoweringContext& context);
  void add(const std::string& name, Pattern pattern, const std::vector<Protocol>& allowed,
           const LoweringContext& context);

  std::vector<Lowered> lowered_;
};

}  // namespace trainsim
