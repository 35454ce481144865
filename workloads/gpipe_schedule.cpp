#include "workloads/schedule.hpp"

namespace trainsim {

std::vector<Slot> gpipe_slots(const Plan& plan, std::int64_t /*stage*/) {
  const auto micro_batches = static_cast<std::int32_t>(plan.micro_batches);
  const auto chunks = static_cast<std::int32_t>(plan.virtual_stages);
  std::vector<Slot> slots;
  slots.reserve(static_cast<std::size_t>(2 * plan.micro_batches * plan.virtual_stages));
  for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int32_t m = 0; m < micro_batches; ++m) slots.push_back({true, m, chunk});
  }
  for (std::int32_t chunk = chunks - 1; chunk >= 0; --chunk) {
    for (std::int32_t m = 0; m < micro_batches; ++m) slots.push_back({false, m, chunk});
  }
  return slots;
}

}  // namespace trainsim
