// The kernels that one rank runs for one micro-batch through a block of experts.
#pragma once

#include "workloads/build_program.hpp"
#include "workloads/products.hpp"

namespace trainsim {

// A block of experts. Tokens are permuted by expert, exchanged, computed, exchanged back and summed; with sequence
// parallelism each tensor rank does so for its own part of the sequence (arXiv 2504.14960).
struct ExpertKernels {
  // Forward, in this order.
  Kernels lead;     // norm, residual, router, permutation of the tokens
  Kernels shared;   // the experts of every token, split over tensor ranks like an MLP
  Kernels experts;  // grouped products and activation, over all rows that arrive
  Kernels finish;   // weighted sum of what comes back
  // Backward, in this order.
  Kernels finish_backward;
  Kernels experts_backward;
  Kernels shared_backward;
  Kernels lead_backward;
};
ExpertKernels expert_block(const Model& model, const Plan& plan, const KernelPolicy& policy);
// Bytes of the token copies that one rank sends to, and gets back from, the experts of one micro-batch.
double dispatched_bytes(const Model& model, const Plan& plan);

}  // namespace trainsim
