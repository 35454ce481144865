// What data parallelism does in one step of a single stage, alone: each part's pass is one work ("forward 3",
// "backward 3", parts numbered as in ChunkLayout), micro-batches go forward and back one by one, and the optimizer ends
// the step.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "step_player.hpp"
#include "workloads/data_communication.hpp"
#include "workloads/rank_grid.hpp"

namespace trainsim::test {

class DataPasses {
 public:
  DataPasses(const Model& model, const Plan& plan)
      : plan_(plan),
        table_(program_, plan),
        layouts_(chunk_layouts(model, plan, 0)),
        data_(make_data_communication(model, plan, layouts_, table_)) {}

  Program program() {
    ready_ = data_->begin_step(emitter_);
    for (std::int32_t m = 0; m < plan_.micro_batches; ++m) micro_batch(m);
    data_->end_backward(emitter_);
    ready_ = {emitter_.finished(Stream::data_comm), emitter_.finished(Stream::replica_comm)};
    work("optimizer", Activity::optimizer);
    data_->end_step(emitter_);
    program_.stages.push_back(emitter_.take());
    return program_;
  }

 private:
  void micro_batch(std::int32_t m) {
    emitter_.label(0, m);
    const ChunkPass pass{0, m == 0, m + 1 == plan_.micro_batches};
    for (std::size_t part = layouts_[0].parts(); part-- > 0;) {
      wait_for(data_->before_forward(emitter_, pass, part));
      work("forward " + std::to_string(part), Activity::forward);
    }
    for (std::size_t part = 0; part < layouts_[0].parts(); ++part) {
      wait_for(data_->before_backward(emitter_, pass, part));
      work("backward " + std::to_string(part), Activity::backward);
      wait_for(data_->part_done(emitter_, pass, part));
    }
    wait_for(data_->pass_done(emitter_, pass));
  }

  void wait_for(const Dependencies& more) {
    for (const Wait& wait : more.waits()) ready_.add(wait);
  }

  void work(const std::string& name, Activity activity) {
    emitter_.work(table_.work(name, activity, {MemoryBound{1, 1, false}}).value(), ready_);
    ready_ = {};
  }

  const Plan& plan_;
  Program program_;
  ContentTable table_;
  std::vector<ChunkLayout> layouts_;
  std::unique_ptr<DataCommunication> data_;
  OpEmitter emitter_;
  Dependencies ready_;
};

inline Program data_program(const Model& model, const Plan& plan) { return DataPasses(model, plan).program(); }

// Collectives of a stream in their order.
inline std::vector<Collective> collectives(const Program& program, Stream stream) {
  std::vector<Collective> result;
  for (const Op& op : program.stages.at(0).ops[index(stream)]) result.push_back(program.collectives.at(op.what));
  return result;
}

// Sizes of a group's collectives of one kind, added up over the step.
inline double bytes(const Program& program, CollectiveKind kind, Group group) {
  double sum = 0;
  for (const Collective& collective : collectives(program, stream_of(group))) {
    if (collective.kind == kind && collective.group == group) sum += collective.bytes;
  }
  return sum;
}

// What one rank sends in a step, by the least that any algorithm can do: of a vector of S bytes over g ranks (g-1)/g S
// for a gather or a scatter, twice that for an all-reduce.
inline double sent_bytes(const Program& program, const Plan& plan) {
  double sum = 0;
  for (const Stream stream : {Stream::data_comm, Stream::replica_comm}) {
    for (const Collective& collective : collectives(program, stream)) {
      const auto ranks = static_cast<double>(group_size(collective.group, plan));
      sum += (collective.kind == CollectiveKind::all_reduce ? 2 : 1) * (ranks - 1) / ranks * collective.bytes;
    }
  }
  return sum;
}

// Position of the n-th op of that name on the compute stream.
inline std::size_t compute_op(const Program& program, const std::string& name, std::size_t n = 0) {
  const std::vector<Op>& ops = program.stages.at(0).ops[index(Stream::compute)];
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (program.works.at(ops[i].what).name == name && n-- == 0) return i;
  }
  throw std::out_of_range("no such op: " + name);
}

inline std::vector<Wait> waits_of(const Program& program, Stream stream, std::size_t at) {
  const StageProgram& stage = program.stages.at(0);
  const Op& op = stage.ops[index(stream)].at(at);
  const auto first = stage.waits.begin() + op.first_wait;
  return {first, first + op.wait_count};
}

inline Model small_experts(Model model) {
  model.experts = Experts{};
  model.experts->experts = 4;
  model.experts->top_k = 2;
  model.experts->ffn_hidden_size = 32;
  model.experts->every_n_layers = 2;
  return model;
}

inline Model with_adapters(Model model) {
  model.lora = Lora{};
  model.lora->rank = 4;
  model.lora->q = model.lora->v = true;
  return model;
}

}  // namespace trainsim::test
