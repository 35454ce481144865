#include "scenarios/run/largest_micro_batch.hpp"

#include <algorithm>

#include "scenarios/resolve/plan.hpp"
#include "workloads/memory.hpp"
#include "workloads/schedule.hpp"

namespace trainsim {
namespace {

bool fits(const ResolvedScenario& scenario, const Plan& plan) {
  const double capacity_bytes = scenario.scenario.cluster.node.accelerator.memory_bytes;
  const auto stages = memory_by_stage(scenario.scenario.model, plan, scenario.stack.kernels, scenario.stack.memory);
  return std::ranges::all_of(stages, [&](const MemoryParts& parts) { return parts.total_bytes() <= capacity_bytes; });
}

}  // namespace

std::int64_t largest_micro_batch(const ResolvedScenario& scenario) {
  Plan tried = scenario.plan;
  const std::int64_t per_rank = tried.global_batch_size / tried.data;
  for (std::int64_t passes = 1; passes <= std::min(per_rank, kMostMicroBatches); ++passes) {
    if (per_rank % passes != 0) continue;
    tried.micro_batches = passes;
    tried.micro_batch_size = per_rank / passes;
    if (!has_whole_groups(tried.schedule, passes, tried.pipeline)) continue;
    if (fits(scenario, tried)) return tried.micro_batch_size;
  }
  return 0;
}

}  // namespace trainsim
