// What data parallelism makes one stage communicate, as the passes through its chunks see it. One file per variant,
// chosen in make_data_communication:
//
//   bucketed_gradients.cpp   sharding none, optimizer, gradients: weights are whole, gradients reduce in buckets
//   full_sharding.cpp        sharding full: weights are gathered part by part (FSDP, ZeRO-3; hybrid with replicas)
//
// Dense parameters communicate over data x context ranks (or the shard group and its replicas), experts over the ranks
// that hold the same ones. Frozen parameters have no gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/chunk_layout.hpp"
#include "workloads/op_emitter.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

// A pass of one micro-batch through a chunk (virtual stage).
struct ChunkPass {
  std::size_t chunk = 0;
  bool is_first = false;  // of its direction in the step
  bool is_last = false;
};

class DataCommunication {
 public:
  DataCommunication() = default;
  DataCommunication(const DataCommunication&) = delete;
  DataCommunication& operator=(const DataCommunication&) = delete;
  virtual ~DataCommunication() = default;

  // Each is called where it says and may launch transfers; what it returns, the next op waits for. A variant overrides
  // what concerns it.

  // Start of the step, before anything else is launched.
  virtual Dependencies begin_step(OpEmitter& emitter) = 0;
  // Before the first op of a part.
  virtual Dependencies before_forward(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) = 0;
  virtual Dependencies before_backward(OpEmitter& /*emitter*/, const ChunkPass& /*pass*/, std::size_t /*part*/) {
    return {};
  }
  // A part's gradients of one micro-batch are there.
  virtual Dependencies part_done(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) = 0;
  // A backward pass has ended.
  virtual Dependencies pass_done(OpEmitter& /*emitter*/, const ChunkPass& /*pass*/) { return {}; }
  // After the last backward pass; the tied embedding's gradients follow the others, as in Megatron.
  virtual void end_backward(OpEmitter& emitter) = 0;
  // After the optimizer.
  virtual void end_step(OpEmitter& /*emitter*/) {}
};

std::unique_ptr<DataCommunication> make_data_communication(const Model& model, const Plan& plan,
                                                           const std::vector<ChunkLayout>& layouts,
                                                           ContentTable& table);

// Trained parameters of a stage whose gradients one rank holds after reduction, and which it updates: all of them, or
// its shards.
Parameters updated_parameters(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts);

}  // namespace trainsim
