// Sizes of what one rank holds of one micro-batch within a layer, and the passes that memory-bound kernels make over
// it: kernels, collectives and memory all read the same figures.
#pragma once

#include "workloads/build_program.hpp"
#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

// Tokens of one micro-batch on one rank, sequence parallelism aside.
double tokens_per_micro_batch(const Plan& plan);
// U: bytes of the hidden states of these tokens.
double hidden_bytes(const Model& model, const Plan& plan);
// Ranks that split norms and residuals along the sequence.
double sequence_shards(const Plan& plan);

// Heads of one rank before any exchange. Latent attention makes keys and values of every head; where Ulysses has more
// ranks than key-value heads, these are repeated so that each rank gets one.
struct AttentionHeads {
  double query = 0;
  double kv = 0;
};
AttentionHeads heads_on_rank(const Model& model, const Plan& plan);

// Bytes of queries, and of keys and values together, of one micro-batch on one rank.
double query_bytes(const Model& model, const Plan& plan);
double key_value_bytes(const Model& model, const Plan& plan);

// Passes over the hidden states of one norm and one residual addition, and over an MLP's inner activations of its
// nonlinearity (its mask too, with dropout).
double norm_and_residual_passes(const Model& model, bool is_backward);
double activation_passes(const Model& model, bool is_backward);

// An eager stack makes more passes because each is a kernel of its own, so launches grow with the passes.
MemoryBound elementwise(double bytes, double kernels, const KernelPolicy& policy);

}  // namespace trainsim
