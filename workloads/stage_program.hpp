// The program of one pipeline stage: its schedule's passes, the messages between them, and the start and end of the
// step.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/build_program.hpp"
#include "workloads/message_order.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

struct StageInputs {
  const Model& model;
  const Plan& plan;
  const KernelPolicy& policy;
  const PassContents& contents;
  const MessageOrder& messages;
};

StageProgram stage_program(const StageInputs& inputs, std::int64_t stage, const std::vector<Slot>& slots,
                           ContentTable& table);

}  // namespace trainsim
