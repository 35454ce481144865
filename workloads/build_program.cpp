#include "workloads/build_program.hpp"

#include <cmath>
#include <stdexcept>

#include "workloads/chunk_layout.hpp"
#include "workloads/schedule.hpp"
#include "workloads/stage_program.hpp"

namespace trainsim {
namespace {

void check_chunks(const Plan& plan) {
  if (static_cast<std::int64_t>(plan.layers_per_chunk.size()) != plan.chunks()) {
    throw std::invalid_argument("build_program: layers_per_chunk must have one entry per chunk");
  }
}

// Two works of each layer and one of each end, forward and backward.
double least_works(const ChunkLayout& layout) {
  return 2.0 *
         (2.0 * static_cast<double>(layout.layers.size()) + (layout.has_head ? 1 : 0) + (layout.has_embedding ? 1 : 0));
}

// Whole buckets that are reduced, and gathered where gradients are sharded.
double least_bucket_ops(const ChunkLayout& layout, const Model& model, const Plan& plan) {
  if (plan.data_ranks() == 1) return 0;
  if (plan.sharding == ShardingKind::full) return 0;
  double parameters = 0;
  for (const Parameters& part : part_parameters(layout, model, plan)) parameters += part.dense;
  const double bytes = parameters * element_bytes(plan.grad_dtype);
  const double reductions = plan.reduces_every_micro_batch ? static_cast<double>(plan.micro_batches) : 1;
  const double gathers = plan.sharding == ShardingKind::none ? 0 : 1;
  return std::floor(bytes / plan.overlap.bucket_bytes) * (reductions + gathers);
}

}  // namespace

std::vector<double> least_ops_by_stage(const Model& model, const Plan& plan) {
  std::vector<double> result;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    double ops = 0;
    for (const ChunkLayout& layout : chunk_layouts(model, plan, stage)) {
      ops += static_cast<double>(plan.micro_batches) * least_works(layout) + least_bucket_ops(layout, model, plan);
    }
    result.push_back(ops);
  }
  return result;
}

Program build_program(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  check_chunks(plan);
  Program program;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    program.schedule.push_back(schedule_slots(plan, stage));
  }
  ContentTable table(program, plan);
  const PassContents contents = pass_contents(model, plan, policy, table);
  const MessageOrder messages(plan, program.schedule);
  const StageInputs inputs{model, plan, policy, contents, messages};
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    program.stages.push_back(stage_program(inputs, stage, program.schedule[static_cast<std::size_t>(stage)], table));
  }
  return program;
}

}  // namespace trainsim
