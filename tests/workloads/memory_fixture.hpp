// Plans of published memory figures, and what the memory model makes of them.
#pragma once

#include <vector>

#include "workloads/memory.hpp"
#include "workloads/presets.hpp"

namespace trainsim::test {

constexpr double kGigabyte = 1e9;

// The plans of Korthikanti et al., table 3: tensor 8, micro-batches of one sequence of 2048 tokens.
inline Plan plan_for(const Model& model, std::int64_t pipeline, std::int64_t virtual_stages,
                     std::int64_t micro_batches) {
  Plan plan;
  plan.tensor = 8;
  plan.pipeline = pipeline;
  plan.virtual_stages = virtual_stages;
  plan.schedule = virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  plan.layers_per_chunk = balanced_layers(model.layers, pipeline * virtual_stages);
  plan.micro_batches = micro_batches;
  plan.global_batch_size = micro_batches;
  plan.sequence_length = 2048;
  plan.precision = "fp16";
  return plan;
}

inline std::vector<MemoryParts> memory_of(const Model& model, const Plan& plan, const MemoryPolicy& policy = {},
                                          const KernelPolicy& kernels = {}) {
  return memory_by_stage(model, plan, kernels, policy);
}

}  // namespace trainsim::test
