// Memory of one GPU per pipeline stage, by part. In-flight activations follow the stage's own schedule slots, not a
// formula. Sources of the per-layer activation bytes: Korthikanti et al., arXiv 2205.05198, equations 1 to 5.
#pragma once

#include <vector>

#include "workloads/build_program.hpp"

namespace trainsim {

struct MemoryParts {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  double buffers_bytes = 0;    // communication buckets, logits, workspace
  double framework_bytes = 0;  // CUDA context, NCCL, allocator
  [[nodiscard]] double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes + buffers_bytes + framework_bytes;
  }
};

// What the software keeps beside the tensors themselves.
struct MemoryPolicy {
  double framework_bytes = 0;
  double fragmentation = 0;            // share of the activations lost in the allocator
  double loss_bytes_per_logit = 10.0;  // held at once for the loss
};

// Peak of each pipeline stage. `schedule` is Program::schedule.
std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory, const std::vector<std::vector<Slot>>& schedule);

}  // namespace trainsim
