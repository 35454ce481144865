#include "workloads/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace trainsim {
namespace {

// A plan of which only the schedule matters.
Plan any_plan(ScheduleKind kind) {
  Plan plan;
  plan.schedule = kind;
  plan.pipeline = *rc::gen::inRange<std::int64_t>(1, 9);
  plan.micro_batches = *rc::gen::inRange<std::int64_t>(1, 20);
  if (kind != ScheduleKind::one_f_one_b) plan.virtual_stages = *rc::gen::inRange<std::int64_t>(1, 5);
  if (kind == ScheduleKind::interleaved) plan.micro_batches *= plan.pipeline;
  return plan;
}

std::int64_t any_stage(const Plan& plan) { return *rc::gen::inRange<std::int64_t>(0, plan.pipeline); }

// Whether each micro-batch passes each chunk once forward and, later, once backward, and chunks of one stage in order.
void expect_complete(const Plan& plan, const std::vector<Slot>& slots) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> forward;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> backward;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto& seen = slots[i].is_forward ? forward : backward;
    RC_ASSERT(slots[i].micro_batch >= 0 && slots[i].micro_batch < plan.micro_batches);
    RC_ASSERT(slots[i].chunk >= 0 && slots[i].chunk < plan.virtual_stages);
    RC_ASSERT(seen.emplace(std::pair(slots[i].micro_batch, slots[i].chunk), i).second);
  }
  const auto passes = static_cast<std::size_t>(plan.micro_batches * plan.virtual_stages);
  RC_ASSERT(forward.size() == passes);
  RC_ASSERT(backward.size() == passes);
  for (const auto& [pass, at] : forward) {
    RC_ASSERT(at < backward.at(pass));
    const auto next = forward.find({pass.first, pass.second + 1});
    if (next == forward.end()) continue;
    RC_ASSERT(at < next->second);
    RC_ASSERT(backward.at(next->first) < backward.at(pass));
  }
}

TEST(Schedule, PassesEachMicroBatchThroughEachChunkOnceForwardAndOnceBackward) {
  EXPECT_TRUE(rc::check([] {
    const auto kind = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved);
    const Plan plan = any_plan(kind);
    expect_complete(plan, schedule_slots(plan, any_stage(plan)));
  }));
}

TEST(Schedule, GPipeKeepsEveryMicroBatchInFlight) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan(ScheduleKind::gpipe);
    RC_ASSERT(peak_in_flight(schedule_slots(plan, any_stage(plan))) == plan.micro_batches * plan.virtual_stages);
  }));
}

TEST(Schedule, OneFOneBKeepsAsManyInFlightAsStagesFollow) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan(ScheduleKind::one_f_one_b);
    const std::int64_t stage = any_stage(plan);
    RC_ASSERT(peak_in_flight(schedule_slots(plan, stage)) == std::min(plan.micro_batches, plan.pipeline - stage));
  }));
}

TEST(Schedule, InterleavedKeepsMegatronsWarmUpInFlight) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan(ScheduleKind::interleaved);
    const std::int64_t stage = any_stage(plan);
    const std::int64_t passes = plan.micro_batches * plan.virtual_stages;
    const std::int64_t warm_up = (plan.pipeline - stage - 1) * 2 + (plan.virtual_stages - 1) * plan.pipeline;
    const std::int64_t peak = plan.micro_batches == plan.pipeline ? passes : std::min(passes, warm_up + 1);
    RC_ASSERT(peak_in_flight(schedule_slots(plan, stage)) == peak);
  }));
}

TEST(Schedule, OneFOneBOfTwoStagesAndThreeMicroBatchesIsTheTextbookOrder) {
  Plan plan;
  plan.pipeline = 2;
  plan.micro_batches = 3;
  std::string order;
  for (const Slot& slot : schedule_slots(plan, 0)) {
    order += (slot.is_forward ? 'F' : 'B') + std::to_string(slot.micro_batch);
  }
  EXPECT_EQ(order, "F0F1B0F2B1B2");
}

TEST(Schedule, InterleavedSendsGroupsOfMicroBatchesThroughTheChunks) {
  Plan plan;
  plan.schedule = ScheduleKind::interleaved;
  plan.pipeline = 2;
  plan.virtual_stages = 2;
  plan.micro_batches = 4;
  std::string order;
  for (const Slot& slot : schedule_slots(plan, 1)) {
    order += (slot.is_forward ? 'F' : 'B') + std::to_string(slot.micro_batch) + (slot.chunk == 0 ? "a " : "b ");
  }
  EXPECT_EQ(order, "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a ");
}

TEST(Schedule, RefusesWhatItIsNotDefinedFor) {
  Plan plan;
  plan.pipeline = 4;
  plan.virtual_stages = 2;
  plan.micro_batches = 6;
  EXPECT_THROW(schedule_slots(plan, 0), std::invalid_argument);
  plan.schedule = ScheduleKind::interleaved;
  EXPECT_THROW(schedule_slots(plan, 0), std::invalid_argument);
  plan.micro_batches = 8;
  EXPECT_NO_THROW(schedule_slots(plan, 0));
  EXPECT_THROW(schedule_slots(plan, 4), std::invalid_argument);
}

}  // namespace
}  // namespace trainsim
