// Memory of one GPU per pipeline stage, by part: the model's states (state_memory.hpp), activations and their workspace
// (activation_memory.hpp), buffers of communication and loss, and what the framework takes.
//
// Activations follow the stage's own schedule slots, each chunk with its own layers, not a formula: the peak over slots
// of what is live, and of what one layer's recomputation adds. A chunk's layers are recomputed from the last to the
// first, and what later ones kept is gone by then.
#pragma once

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

// Peak of each pipeline stage. `schedule` is Program::schedule.
std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory, const std::vector<std::vector<Slot>>& schedule);
// The same with the slots of the plan's schedule.
std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory);

}  // namespace trainsim
