#include "workloads/build_program.hpp"

#include <stdexcept>

#include "workloads/schedule.hpp"
#include "workloads/stage_program.hpp"

namespace trainsim {
namespace {

void refuse_what_has_no_program(const Plan& plan) {
  if (plan.sharding == ShardingKind::full) throw std::invalid_argument("build_program: full sharding has no program");
  if (plan.expert != 1) throw std::invalid_argument("build_program: expert parallelism has no program");
  if (static_cast<std::int64_t>(plan.layers_per_chunk.size()) != plan.chunks()) {
    throw std::invalid_argument("build_program: layers_per_chunk must have one entry per chunk");
  }
}

}  // namespace

Program build_program(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  refuse_what_has_no_program(plan);
  Program program;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    program.schedule.push_back(schedule_slots(plan, stage));
  }
  ContentTable table(program);
  const PassContents contents = pass_contents(model, plan, policy, table);
  const MessageOrder messages(plan, program.schedule);
  const StageInputs inputs{model, plan, policy, contents, messages};
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    program.stages.push_back(stage_program(inputs, stage, program.schedule[static_cast<std::size_t>(stage)], table));
  }
  return program;
}

}  // namespace trainsim
