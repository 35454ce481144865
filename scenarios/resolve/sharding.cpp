#include <fmt/format.h>

#include "scenarios/resolve/plan.hpp"

namespace trainsim {

void resolve_sharding(ParallelismSection& parallelism, Findings& findings) {
  if (parallelism.sharding != ShardingKind::full) return;
  const std::int64_t ranks = parallelism.context * *parallelism.data;
  if (!parallelism.sharding_group) parallelism.sharding_group = ranks;
  if (!parallelism.reshard_after_forward) parallelism.reshard_after_forward = true;
  const std::int64_t group = *parallelism.sharding_group;
  if (ranks % group == 0) return;
  findings.fault("parallelism.sharding.group",
                 fmt::format("{} ranks do not divide data {} x context {} = {}", group, *parallelism.data,
                             parallelism.context, ranks),
                 fmt::format("a divisor of {}, such as {}", ranks, divisors_near(ranks, group)));
}

bool reduces_every_micro_batch(const ParallelismSection& parallelism, const Stack& stack) {
  if (parallelism.sharding == ShardingKind::gradients) return stack.reduces_every_micro_batch;
  if (parallelism.sharding != ShardingKind::full) return false;
  // FSDP inside a pipeline keeps weights and gradients whole over the micro-batches of a step (torchtitan).
  return parallelism.pipeline == 1 || *parallelism.reshard_after_forward;
}

}  // namespace trainsim
