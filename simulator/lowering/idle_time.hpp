// Time on an idle machine of one phase: what idle_time_s of a Transfer and the choice among patterns share.
#pragma once

#include <vector>

#include "simulator/lowering/lowering.hpp"

namespace trainsim {

// Seconds for a part alone, without its latency.
double alone_s(const std::vector<LinkUse>& uses, double bytes, const LoweringContext& context);

struct PartLoad {
  const std::vector<LinkUse>* uses = nullptr;
  double bytes = 0.0;
};
// Seconds of the link that all parts together keep busy longest.
double busiest_shared_link_s(const std::vector<PartLoad>& parts, const LoweringContext& context);

}  // namespace trainsim
