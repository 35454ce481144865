// Memory of one GPU per pipeline stage, by part.
//
// Weights are kept in 16 bits (32 with fp32 and tf32). Adam keeps two 32-bit moments, and a 32-bit copy of 16-bit
// weights (arXiv 1910.02054, section 3.1: K = 12). Sharding divides, over data x context ranks: the optimizer's state
// from ZeRO-1 on; gradients from ZeRO-2 on, if they are reduced after every micro-batch; weights with ZeRO-3.
//
// Activations follow the stage's own schedule slots, each chunk with its own layers, not a formula: the peak over slots
// of what is live, and of what one layer's recomputation adds. Per layer, micro-batch of n tokens on a rank, element of
// e bytes, t tensor ranks, a query heads, k key-value heads, head size d, inner width f:
//   kept whole (1/t with sequence parallelism)   n (4 e h + 2 h)            norm and matrix inputs; 2 h: dropout masks
//   split                                        n/t (e (2 a + 2 k) d + e f (2, or 3 when gated))
//   unfused attention core                       n s/t a (e, or 2 e + 1 with dropout)   softmax, its mask, its dropout
//   fused attention core                         4 n a/t                    the softmax's normaliser, fp32
// With f = 4 h, a d = h, k = a, e = 2 and dropout these are equations 1, 2 and 4 of Korthikanti et al., arXiv
// 2205.05198. Selective recomputation drops the unfused core (equation 6); where a stack recomputes more, it keeps the
// layer's input, attention's output and the outputs of every second matrix product: q, v, up and down (PyTorch's
// selective checkpointing as torchtitan sets it). Full recomputation keeps the layer's input. Per micro-batch in flight
// the embedding also keeps token ids and a dropout mask, the head the inputs of its norm and of its matrix and the fp32
// softmax (section 4.3). Assumed: matrix inputs are kept in 16 bits with 8-bit products too.
#pragma once

#include <string>
#include <vector>

#include "workloads/build_program.hpp"

namespace trainsim {

struct MemoryParts {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  double buffers_bytes = 0;    // communication, gathered weights, logits, one layer's gradients, allocator's loss
  double framework_bytes = 0;  // CUDA context, NCCL, allocator
  [[nodiscard]] double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes + buffers_bytes + framework_bytes;
  }
};

// What the software keeps beside the tensors themselves.
struct MemoryPolicy {
  double framework_bytes = 0;
  double fragmentation = 0;            // share of the activations lost in the allocator
  double loss_bytes_per_logit = 10.0;  // held at once for the loss of one micro-batch, its fp32 softmax included
  double gradient_copy_bytes_per_parameter = 0;  // 16-bit gradients kept beside the accumulated ones
  double activation_factor = 1.0;  // copies that unfused kernels keep, relative to the counted activations of a layer
};

// What one layer keeps of one micro-batch on one rank between its forward and its backward pass.
struct LayerActivations {
  double total_bytes = 0;      // without recomputation
  double selective_bytes = 0;  // with selective recomputation
  double input_bytes = 0;      // with full recomputation
};
LayerActivations layer_activations(const Model& model, const Plan& plan, const KernelPolicy& kernels);

// Master copy and moments. Throws std::invalid_argument unless `optimizer` is adam, adamw, momentum or sgd.
double optimizer_state_bytes_per_parameter(const std::string& optimizer, const std::string& precision);

// Parameters held by one rank of pipeline stage `stage`, unsharded; both ends hold a tied embedding.
double stage_parameters(const Model& model, const Plan& plan, std::int64_t stage);

// Peak of each pipeline stage. `schedule` is Program::schedule.
std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory, const std::vector<std::vector<Slot>>& schedule);

}  // namespace trainsim
