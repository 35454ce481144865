#include "workloads/schedule.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace trainsim {
namespace {

struct Schedule {
  ScheduleKind kind;
  std::vector<Slot> (*slots)(const Plan& plan, std::int64_t stage);
};

constexpr std::array kSchedules = {
    Schedule{ScheduleKind::gpipe, &gpipe_slots},
    Schedule{ScheduleKind::one_f_one_b, &one_f_one_b_slots},
    Schedule{ScheduleKind::interleaved, &interleaved_slots},
};

}  // namespace

bool has_whole_groups(ScheduleKind schedule, std::int64_t micro_batches, std::int64_t pipeline) {
  return schedule != ScheduleKind::interleaved || micro_batches % pipeline == 0;
}

std::vector<Slot> schedule_slots(const Plan& plan, std::int64_t stage) {
  if (stage < 0 || stage >= plan.pipeline) throw std::invalid_argument("schedule_slots: no such pipeline stage");
  for (const Schedule& schedule : kSchedules) {
    if (schedule.kind == plan.schedule) return schedule.slots(plan, stage);
  }
  throw std::invalid_argument("schedule_slots: unknown schedule");
}

std::int64_t peak_in_flight(const std::vector<Slot>& slots) {
  std::int64_t in_flight = 0;
  std::int64_t peak = 0;
  for (const Slot& slot : slots) {
    in_flight += slot.is_forward ? 1 : -1;
    peak = std::max(peak, in_flight);
  }
  return peak;
}

}  // namespace trainsim
