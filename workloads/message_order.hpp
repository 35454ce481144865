// In which place a stage sends each pass's result. Messages of one direction between two stages arrive in the order of
// the sender's schedule, which need not be the order in which the receiver uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/program.hpp"

namespace trainsim {

class MessageOrder {
 public:
  // `schedule` is Program::schedule.
  MessageOrder(const Plan& plan, const std::vector<std::vector<Slot>>& schedule);

  // The wait of a pass for the message that it starts from; count 0 when it starts from none.
  [[nodiscard]] Wait before(std::int64_t stage, const Slot& slot) const;
  // Whether a pass's result goes to another stage.
  [[nodiscard]] bool is_sent(std::int64_t stage, const Slot& slot) const;

 private:
  [[nodiscard]] std::int64_t model_chunk(std::int64_t stage, const Slot& slot) const {
    return slot.chunk * pipeline_ + stage;
  }
  [[nodiscard]] std::size_t place(std::int64_t model_chunk, std::int32_t micro_batch) const {
    return static_cast<std::size_t>(model_chunk * micro_batches_ + micro_batch);
  }

  std::int64_t pipeline_;
  std::int64_t chunks_;
  std::int64_t micro_batches_;
  // By chunk in model order and micro-batch: 1 + the position among its stage's sends of that direction.
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> backward_;
};

}  // namespace trainsim
