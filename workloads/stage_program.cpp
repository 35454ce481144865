#include "workloads/stage_program.hpp"

#include <memory>

#include "workloads/chunk_passes.hpp"
#include "workloads/host_launches.hpp"
#include "workloads/optimizer_step.hpp"

namespace trainsim {
namespace {

constexpr double kFp32Bytes = 4;

class StageBuilder {
 public:
  StageBuilder(const StageInputs& inputs, std::int64_t stage, ContentTable& table)
      : inputs_(inputs),
        stage_(stage),
        table_(table),
        layouts_(chunk_layouts(inputs.model, inputs.plan, stage)),
        host_(inputs.policy.host, table),
        emitter_(host_.launch_time()),
        data_(make_data_communication(inputs.model, inputs.plan, layouts_, table)),
        passes_(inputs.contents, emitter_, *data_),
        passes_done_(layouts_.size()) {}

  StageProgram build(const std::vector<Slot>& slots) {
    begin_step();
    for (const Slot& slot : slots) run_slot(slot);
    end_step();
    return emitter_.take();
  }

 private:
  struct PassesDone {
    std::int64_t forward = 0;
    std::int64_t backward = 0;
  };

  void begin_step();
  void run_slot(const Slot& slot);
  Dependencies slot_start(const Slot& slot);
  [[nodiscard]] Dependencies messages_around(const Slot& slot) const;
  void send(const Slot& slot, const Dependencies& result);
  void end_step();
  void update_parameters();
  void run(Content work, const Dependencies& dependencies);

  const StageInputs& inputs_;
  std::int64_t stage_;
  ContentTable& table_;
  std::vector<ChunkLayout> layouts_;
  HostLaunches host_;
  OpEmitter emitter_;
  std::unique_ptr<DataCommunication> data_;
  ChunkPasses passes_;
  std::vector<PassesDone> passes_done_;  // by chunk
  Dependencies held_up_by_;              // beside compute and tensor communication, what the next slot waits for
};

void StageBuilder::run(Content work, const Dependencies& dependencies) {
  if (work) emitter_.work(*work, dependencies);
}

void StageBuilder::begin_step() {
  held_up_by_ = data_->begin_step(emitter_);
  // Launches of passes follow on the host's stream by themselves.
  const HostPolicy& host = inputs_.policy.host;
  if (host.takes_time() && !host.launches_passes()) held_up_by_.add(OpEmitter::previous_step(Stream::host));
}

// What the host launched before holds up what it launches next, wherever a collective holds the compute stream.
Dependencies StageBuilder::slot_start(const Slot& slot) {
  Dependencies start = held_up_by_;
  held_up_by_ = {};
  start.add(emitter_.finished(Stream::compute));
  for (const Stream stream : {Stream::tensor_comm, Stream::context_comm, Stream::expert_comm}) {
    start.add(emitter_.finished(stream));
  }
  const Wait message = inputs_.messages.before(stage_, slot);
  if (message.count == 0) return start;
  start.add(message);
  if (!inputs_.contents.receive_gather) return start;
  return {emitter_.collective(Stream::tensor_comm, *inputs_.contents.receive_gather, start)};
}

void StageBuilder::run_slot(const Slot& slot) {
  const auto chunk = static_cast<std::size_t>(slot.chunk);
  PassesDone& done = passes_done_[chunk];
  std::int64_t& count = slot.is_forward ? done.forward : done.backward;
  const ChunkPass pass{chunk, count == 0, count + 1 == inputs_.plan.micro_batches};
  ++count;
  emitter_.label(slot.chunk, slot.micro_batch);
  host_.begin_pass(emitter_, slot.is_forward, messages_around(slot));
  const Dependencies start = slot_start(slot);
  if (slot.is_forward) {
    send(slot, passes_.forward(layouts_[chunk], pass, start));
  } else {
    send(slot, passes_.backward(layouts_[chunk], pass, start));
    const Dependencies reduced = data_->pass_done(emitter_, pass);
    for (const Wait& wait : reduced.waits()) held_up_by_.add(wait);
  }
  host_.end_pass(emitter_);
}

// What came in and what still leaves when a slot begins.
Dependencies StageBuilder::messages_around(const Slot& slot) const {
  Dependencies messages = held_up_by_;
  const Wait message = inputs_.messages.before(stage_, slot);
  if (message.count > 0) messages.add(message);
  return messages;
}

void StageBuilder::send(const Slot& slot, const Dependencies& result) {
  if (!inputs_.messages.is_sent(stage_, slot)) return;
  const Content content = slot.is_forward ? inputs_.contents.send_forward : inputs_.contents.send_backward;
  const Stream stream = slot.is_forward ? Stream::pipeline_forward : Stream::pipeline_backward;
  const Wait sent = emitter_.collective(stream, content.value(), result);
  if (!inputs_.plan.overlap.pipeline) held_up_by_.add(sent);
}

void StageBuilder::end_step() {
  host_.begin_gradients(emitter_);
  data_->end_backward(emitter_);
  emitter_.label(0, -1);
  update_parameters();
  data_->end_step(emitter_);
}

void StageBuilder::update_parameters() {
  const Plan& plan = inputs_.plan;
  const Parameters updated = updated_parameters(inputs_.model, plan, layouts_);
  for (const Stream stream : {Stream::data_comm, Stream::replica_comm, Stream::tensor_comm}) {
    held_up_by_.add(emitter_.finished(stream));
  }
  if (updated.trained() > 0) {
    const MemoryBound norm{updated.trained() * element_bytes(plan.grad_dtype), 1, false};
    run(table_.work("gradient norm", Activity::optimizer, {norm}), held_up_by_);
  }
  Dependencies clipped = {emitter_.finished(Stream::compute)};
  const Content norm_all_reduce =
      table_.collective({"gradient norm all-reduce", CollectiveKind::all_reduce, Group::gradient_norm, kFp32Bytes});
  if (norm_all_reduce) clipped = {emitter_.collective(Stream::tensor_comm, *norm_all_reduce, clipped)};
  host_.begin_optimizer(emitter_, clipped);
  run(table_.work("optimizer", Activity::optimizer, optimizer_kernels(inputs_, layouts_, updated)), clipped);
  host_.end_optimizer(emitter_);
}

}  // namespace

StageProgram stage_program(const StageInputs& inputs, std::int64_t stage, const std::vector<Slot>& slots,
                           ContentTable& table) {
  return StageBuilder(inputs, stage, table).build(slots);
}

}  // namespace trainsim
