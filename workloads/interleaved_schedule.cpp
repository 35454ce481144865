#include <algorithm>
#include <stdexcept>

#include "workloads/schedule.hpp"

namespace trainsim {
namespace {

// The k-th forward (or backward) pass: `pipeline` micro-batches through one chunk, the same through the next chunk, …,
// then the next group of micro-batches.
Slot nth_pass(const Plan& plan, std::int64_t k, bool is_forward) {
  const std::int64_t in_group = k % (plan.pipeline * plan.virtual_stages);
  const std::int64_t group = k / (plan.pipeline * plan.virtual_stages);
  const std::int64_t chunk = in_group / plan.pipeline;
  const std::int64_t micro_batch = group * plan.pipeline + k % plan.pipeline;
  return {is_forward, static_cast<std::int32_t>(micro_batch),
          static_cast<std::int32_t>(is_forward ? chunk : plan.virtual_stages - 1 - chunk)};
}

}  // namespace

std::vector<Slot> interleaved_slots(const Plan& plan, std::int64_t stage) {
  if (!has_whole_groups(ScheduleKind::interleaved, plan.micro_batches, plan.pipeline)) {
    throw std::invalid_argument("interleaved_slots: micro_batches must be a multiple of pipeline");
  }
  const std::int64_t passes = plan.micro_batches * plan.virtual_stages;
  std::int64_t warm_up = (plan.pipeline - stage - 1) * 2 + (plan.virtual_stages - 1) * plan.pipeline;
  warm_up = plan.micro_batches == plan.pipeline ? passes : std::min(warm_up, passes);
  std::vector<Slot> slots;
  slots.reserve(static_cast<std::size_t>(2 * passes));
  for (std::int64_t k = 0; k < warm_up; ++k) slots.push_back(nth_pass(plan, k, true));
  for (std::int64_t k = warm_up; k < passes; ++k) {
    slots.push_back(nth_pass(plan, k, true));
    slots.push_back(nth_pass(plan, k - warm_up, false));
  }
  for (std::int64_t k = passes - warm_up; k < passes; ++k) slots.push_back(nth_pass(plan, k, false));
  return slots;
}

}  // namespace trainsim
