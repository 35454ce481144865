#include "workloads/message_order.hpp"

namespace trainsim {

MessageOrder::MessageOrder(const Plan& plan, const std::vector<std::vector<Slot>>& schedule)
    : pipeline_(plan.pipeline),
      chunks_(plan.chunks()),
      micro_batches_(plan.micro_batches),
      forward_(static_cast<std::size_t>(chunks_ * micro_batches_)),
      backward_(forward_.size()) {
  for (std::size_t s = 0; s < schedule.size(); ++s) {
    const auto stage = static_cast<std::int64_t>(s);
    std::uint32_t sent_forward = 0;
    std::uint32_t sent_backward = 0;
    for (const Slot& slot : schedule[s]) {
      if (!is_sent(stage, slot)) continue;
      const std::size_t at = place(model_chunk(stage, slot), slot.micro_batch);
      if (slot.is_forward) {
        forward_[at] = ++sent_forward;
      } else {
        backward_[at] = ++sent_backward;
      }
    }
  }
}

Wait MessageOrder::before(std::int64_t stage, const Slot& slot) const {
  Wait wait;
  wait.kind = Wait::Kind::message;
  wait.from = slot.is_forward ? Group::pipeline_forward : Group::pipeline_backward;
  const std::int64_t sender = model_chunk(stage, slot) + (slot.is_forward ? -1 : 1);
  if (sender < 0 || sender >= chunks_) return wait;
  wait.count = (slot.is_forward ? forward_ : backward_)[place(sender, slot.micro_batch)];
  return wait;
}

bool MessageOrder::is_sent(std::int64_t stage, const Slot& slot) const {
  if (pipeline_ == 1) return false;
  const std::int64_t chunk = model_chunk(stage, slot);
  return slot.is_forward ? chunk + 1 < chunks_ : chunk > 0;
}

}  // namespace trainsim
