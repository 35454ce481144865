// Pipeline schedules: in which order a stage runs forward and backward passes. One file per schedule, registered in
// schedule.cpp.
#pragma once

#include "workloads/plan.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// Whether the plan's micro-batches form the groups that its schedule needs: interleaved sends them round in groups of
// one per stage (Megatron).
bool has_whole_groups(ScheduleKind schedule, std::int64_t micro_batches, std::int64_t pipeline);

// Slots of pipeline rank `stage`. REQUIRES: interleaved: micro_batches % pipeline == 0 (Megatron's condition).
// Throws std::invalid_argument when that fails, or for 1F1B with virtual stages.
std::vector<Slot> schedule_slots(const Plan& plan, std::int64_t stage);

// GPipe (arXiv 1811.06965): all forward passes, then all backward passes.
std::vector<Slot> gpipe_slots(const Plan& plan, std::int64_t stage);
// 1F1B (PipeDream-flush, arXiv 2006.09503): as many forward passes ahead as stages follow, then one of each in turn.
std::vector<Slot> one_f_one_b_slots(const Plan& plan, std::int64_t stage);
// Megatron's interleaved 1F1B (arXiv 2104.04473): micro-batches go through the chunks in groups of `pipeline`.
std::vector<Slot> interleaved_slots(const Plan& plan, std::int64_t stage);

// Most forward passes (of single chunks) whose backward pass is still due, over the slots.
std::int64_t peak_in_flight(const std::vector<Slot>& slots);

}  // namespace trainsim
