#include <algorithm>
#include <stdexcept>

#include "workloads/schedule.hpp"

namespace trainsim {

std::vector<Slot> one_f_one_b_slots(const Plan& plan, std::int64_t stage) {
  if (plan.virtual_stages != 1) throw std::invalid_argument("one_f_one_b_slots: 1F1B has one chunk per stage");
  const auto micro_batches = static_cast<std::int32_t>(plan.micro_batches);
  const auto warm_up = static_cast<std::int32_t>(std::min(plan.micro_batches, plan.pipeline - 1 - stage));
  std::vector<Slot> slots;
  slots.reserve(static_cast<std::size_t>(2 * plan.micro_batches));
  for (std::int32_t m = 0; m < warm_up; ++m) slots.push_back({true, m, 0});
  for (std::int32_t m = warm_up; m < micro_batches; ++m) {
    slots.push_back({true, m, 0});
    slots.push_back({false, m - warm_up, 0});
  }
  for (std::int32_t m = micro_batches - warm_up; m < micro_batches; ++m) slots.push_back({false, m, 0});
  return slots;
}

}  // namespace trainsim
