// Fully sharded data parallelism (ZeRO-3, arXiv 1910.02054; FSDP, arXiv 2304.11277): a rank holds a shard of every part
// (embedding, each layer, head) and gathers its weights, frozen ones included, just before it needs them.
//
//   compute    | forward l    | forward l+1  | ...   | backward l+1 | backward l   |
//   data_comm  | gather l+1 | | gather l+2 | ...     | gather l | | scatter l+1 | gather l-1 | | scatter l |
//
//   parameter_gather        on: the next part of the pass is gathered beside this one, so two are whole at most
//                           (sections 3.3 and 3.4); off: a part is gathered when compute gets there, and compute waits
//   gradient_reduce         off: compute waits for the reduction of each part
//   reshards_after_forward  on: gathered for each forward and each backward pass, but the head's weights are kept from
//                           one to the other, and so are those of a tied embedding on the head's stage; off: gathered
//                           in the first forward pass of the step and kept for the rest of it
//
// Gathers and scatters share a communicator and so their stream. Hybrid sharding (section 3.2.2): shards stay within
// sharding_group ranks, and replicas of a shard all-reduce what is left of the gradients, on a stream of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/data_collectives.hpp"
#include "workloads/data_communication.hpp"

namespace trainsim {

class FullSharding final : public DataCommunication {
 public:
  FullSharding(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts, ContentTable& table);

  Dependencies begin_step(OpEmitter& emitter) override;
  Dependencies before_forward(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) override;
  Dependencies before_backward(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) override;
  Dependencies part_done(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) override;
  void end_backward(OpEmitter& emitter) override;

 private:
  struct Unit {
    Content gather, expert_gather;
    Content scatter, expert_scatter;
    Content replica_reduce;
    bool is_kept = false;       // from forward to backward pass, even when others are not
    Unit* reads = nullptr;      // whose weights it needs too: a head those of its tied embedding
    std::optional<Wait> whole;  // the end of its gather, while its weights are not sharded again
  };

  static Unit make_unit(const Parameters& parameters, double gathered_bytes, const Plan& plan,
                        const DataCollectives& collectives);
  void keep_for_backward(const Model& model, const std::vector<ChunkLayout>& layouts);
  Wait gather(OpEmitter& emitter, Unit& unit);
  Wait use(OpEmitter& emitter, Unit& unit, Unit* next);

  const Plan& plan_;
  std::vector<std::vector<Unit>> units_;  // by chunk and part
  Content embedding_all_reduce_;
  Dependencies step_start_;  // what the first gather of the step waits for
};

}  // namespace trainsim
