// What data parallelism makes one stage communicate, all on the data_comm stream: gradient buckets are all-reduced
// (sharding none) or reduce-scattered, 16-bit parameter buckets all-gathered (sharding on).
//
//   gradient_reduce   on: a bucket goes out when its gradients are complete; off: all after the last backward pass
//   (with
//                     reduces_every_micro_batch after each backward pass, and compute waits)
//   parameter_gather  on: at the start of the step, and the first forward pass of a layer waits for its bucket; off:
//   after
//                     the optimizer, and the next step waits for all of them
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/chunk_layout.hpp"
#include "workloads/gradient_buckets.hpp"
#include "workloads/op_emitter.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

class DataParallel {
 public:
  DataParallel(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts, ContentTable& table);

  // Start of the step. Parameters are gathered in the order of the forward pass.
  void begin_step(OpEmitter& emitter);
  // What the first op of the step waits for.
  [[nodiscard]] Dependencies before_step() const;
  // What a part's first forward pass of the step waits for.
  [[nodiscard]] Wait parameters_of(std::size_t chunk, std::size_t part) const;

  // A part's gradients of one micro-batch are there; `is_last`: of the step's last micro-batch.
  void part_done(OpEmitter& emitter, std::size_t chunk, std::size_t part, bool is_last);
  // A backward pass has ended; returns what the next op waits for.
  Dependencies pass_done(OpEmitter& emitter, std::size_t chunk);
  // After the last backward pass; the tied embedding's gradients follow the buckets, as in Megatron.
  void end_backward(OpEmitter& emitter);
  // After the optimizer.
  void end_step(OpEmitter& emitter);

  // Parameters whose gradients this rank holds after reduction, and which it updates.
  [[nodiscard]] double owned_parameters() const { return owned_parameters_; }

 private:
  struct ChunkBuckets {
    GradientBuckets buckets;
    std::vector<Content> reduce;  // by bucket
    std::vector<Content> gather;
    std::vector<std::uint32_t> gathers_before;  // by part: ops on data_comm once all of the part is gathered
    std::size_t next_bucket = 0;                // first whose reduction is not out yet, in the current backward pass
  };

  ChunkBuckets make_buckets(const std::vector<double>& part_parameters, ContentTable& table) const;
  void reduce_until(OpEmitter& emitter, ChunkBuckets& chunk, std::size_t end);
  void gather_all(OpEmitter& emitter, Dependencies first);

  const Plan& plan_;
  std::vector<ChunkBuckets> chunks_;
  Content embedding_all_reduce_;
  double owned_parameters_ = 0;
  bool gathers_ = false;
};

}  // namespace trainsim
