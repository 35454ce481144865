// Data parallelism with whole weights on every rank, all on the data_comm stream: gradient buckets are all-reduced
// (sharding none: PyTorch DDP, arXiv 2006.15704) or reduce-scattered and the updated weights all-gathered (optimizer,
// gradients: ZeRO-1 and 2, arXiv 1910.02054, with the buckets of Megatron's distributed optimizer).
//
//   gradient_reduce   on: a bucket goes out when its gradients are complete; off: all after the last backward pass
//                     (with reduces_every_micro_batch after each backward pass, and compute waits)
//   parameter_gather  on: at the start of the step, and the first forward pass of a part waits for its buckets; off:
//                     after the optimizer, and the next step waits for all of them
//
// Experts fill buckets of their own, since their gradients go to other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/data_collectives.hpp"
#include "workloads/data_communication.hpp"

namespace trainsim {

class BucketedGradients final : public DataCommunication {
 public:
  BucketedGradients(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts, ContentTable& table);

  Dependencies begin_step(OpEmitter& emitter) override;
  Dependencies before_forward(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) override;
  Dependencies part_done(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) override;
  Dependencies pass_done(OpEmitter& emitter, const ChunkPass& pass) override;
  void end_backward(OpEmitter& emitter) override;
  void end_step(OpEmitter& emitter) override;

 private:
  struct Bucket {
    std::uint32_t reduce = 0;
    Content gather;
    std::size_t last_part = 0;   // complete when this part's gradients are
    std::uint32_t gathered = 0;  // ops on data_comm once it is gathered
  };
  struct BucketedParts {
    const std::vector<double>& parameters;  // by part
    double gathered_bytes = 0;              // of one parameter as it is gathered
  };
  struct Chunk {
    std::vector<Bucket> buckets;  // dense and experts', in the order in which they are complete
    std::size_t next = 0;         // first whose reduction is not out yet, in the current backward pass
  };

  void add_buckets(Chunk& chunk, const BucketedParts& parts, Group group, const DataCollectives& collectives) const;
  void reduce_until(OpEmitter& emitter, Chunk& chunk, std::size_t end) const;
  void gather_all(OpEmitter& emitter, Dependencies first);

  const Plan& plan_;
  std::vector<Chunk> chunks_;
  Content embedding_all_reduce_;
  bool gathers_ = false;
};

}  // namespace trainsim
