// Pipeline schedules: in which order a stage runs forward and backward passes. One file per schedule, registered in
// schedule.cpp.
#pragma once

#include "workloads/plan.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// Slots of pipeline rank `stage`. REQUIRES: interleaved: micro_batches % pipeline == 0 (Megatron's condition).
std::vector<Slot> schedule_slots(const Plan& plan, std::int64_t stage);

// Most forward passes (of single chunks) whose backward pass is still due, over the slots.
std::int64_t peak_in_flight(const std::vector<Slot>& slots);

}  // namespace trainsim
