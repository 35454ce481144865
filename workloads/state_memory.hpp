// What a rank keeps of the model from step to step: weights, gradients, the optimizer's state; and what sharding makes
// it hold whole for a while.
//
//   weights     2 bytes (4 with fp32 and tf32), frozen ones (the base of LoRA) too. With products below 16 bits a
//               layer's weights have a cached low-precision copy beside them, as in Transformer Engine; where sharded
//               weights travel in low precision they are kept in it alone. With full sharding, shards are in 16 bits
//               and the copy is made of, or is, what was gathered.
//   gradients   of the accumulation's type, and the stack's 16-bit copy; none of frozen weights
//   optimizer   optimizer_state.hpp
// Mixed-precision Adam so takes 16 bytes per parameter with 16-bit gradients, 18 with fp32 ones, 20 with both.
//
// Sharding divides dense and frozen parameters by data x context ranks (full sharding: by the shard group), experts by
// their replicas: the optimizer's state from ZeRO-1 on; gradients from ZeRO-2 on, if they are reduced after every
// micro-batch; weights with full sharding (arXiv 1910.02054). ZeRO-2 has two buckets of gradients on their way to their
// owners. With full sharding two neighbouring parts of a chunk are whole, with their gradients, one at work and one on
// its way (arXiv 2304.11277, section 3.3); without resharding after the forward pass, all weights of the stage are.
#pragma once

#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

struct StateMemory {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double unsharded_bytes = 0;  // for a while: gathered weights, gradients on their way
};

// Of one rank of pipeline stage `stage`. `gradient_copy_bytes` per parameter are kept beside the gradients.
StateMemory state_memory(const Model& model, const Plan& plan, double gradient_copy_bytes, std::int64_t stage);

}  // namespace trainsim
