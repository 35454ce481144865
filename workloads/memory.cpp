#include "workloads/memory.hpp"

#include <algorithm>
#include <cassert>

#include "workloads/activation_memory.hpp"
#include "workloads/chunk_layout.hpp"
#include "workloads/layer_shapes.hpp"
#include "workloads/schedule.hpp"
#include "workloads/state_memory.hpp"

namespace trainsim {
namespace {

constexpr double kFp32Bytes = 4;

// What one chunk needs of one micro-batch.
struct ChunkActivations {
  double kept_bytes = 0;      // from its forward to its backward pass
  double backward_bytes = 0;  // on top while its backward pass recomputes
};

double kept_bytes(const LayerActivations& layer, const Plan& plan, bool is_recomputed) {
  if (is_recomputed) return layer.input_bytes;
  return plan.recompute == RecomputeKind::selective ? layer.selective_bytes : layer.total_bytes;
}

ChunkActivations layers_of_chunk(const Model& model, const Plan& plan, const KernelPolicy& kernels, double factor,
                                 const ChunkLayout& layout) {
  ChunkActivations chunk;
  double gone = 0;  // kept by the layers behind the one at work
  for (std::size_t i = layout.layers.size(); i-- > 0;) {
    LayerActivations layer = layer_activations(model, layout.layers[i], plan, kernels);
    layer.total_bytes *= factor;
    layer.selective_bytes *= factor;
    const double kept = kept_bytes(layer, plan, static_cast<std::int64_t>(i) < layout.recomputed_layers);
    chunk.backward_bytes = std::max(chunk.backward_bytes, layer.total_bytes - kept - gone);
    gone += kept;
  }
  chunk.kept_bytes = gone;
  return chunk;
}

// By virtual stage of one pipeline rank.
std::vector<ChunkActivations> chunks_of_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                              const MemoryPolicy& memory, const std::vector<ChunkLayout>& layouts) {
  std::vector<ChunkActivations> chunks;
  for (const ChunkLayout& layout : layouts) {
    ChunkActivations& chunk =
        chunks.emplace_back(layers_of_chunk(model, plan, kernels, memory.activation_factor, layout));
    if (layout.has_embedding) chunk.kept_bytes += embedding_activation_bytes(model, plan);
    if (layout.has_head) {
      chunk.kept_bytes += head_activation_bytes(model, plan, std::min(kFp32Bytes, memory.loss_bytes_per_logit));
    }
  }
  return chunks;
}

double peak_bytes(const std::vector<Slot>& slots, const std::vector<ChunkActivations>& chunks) {
  double live = 0;
  double peak = 0;
  for (const Slot& slot : slots) {
    const ChunkActivations& chunk = chunks.at(static_cast<std::size_t>(slot.chunk));
    if (slot.is_forward) {
      live += chunk.kept_bytes;
      peak = std::max(peak, live);
    } else {
      peak = std::max(peak, live + chunk.backward_bytes);
      live -= chunk.kept_bytes;
    }
  }
  return peak;
}

double workspace_bytes(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts) {
  double largest = 0;
  for (const ChunkLayout& layout : layouts) {
    for (const LayerKind kind : layout.layers) largest = std::max(largest, layer_workspace_bytes(model, kind, plan));
  }
  return largest;
}

// Received activations and gradients, one of each; two of each where receiving overlaps with computing.
double pipeline_buffer_bytes(const Model& model, const Plan& plan) {
  if (plan.pipeline == 1) return 0;
  return (plan.overlap.pipeline ? 4 : 2) * hidden_bytes(model, plan) / sequence_shards(plan);
}

// Of the loss, beside the softmax that is kept.
double loss_bytes(const Model& model, const Plan& plan, const MemoryPolicy& memory) {
  return std::max(0.0, memory.loss_bytes_per_logit - kFp32Bytes) * logits_per_micro_batch(model, plan);
}

}  // namespace

std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory, const std::vector<std::vector<Slot>>& schedule) {
  assert(static_cast<std::int64_t>(schedule.size()) == plan.pipeline);
  std::vector<MemoryParts> result;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    const std::vector<ChunkLayout> layouts = chunk_layouts(model, plan, stage);
    const auto chunks = chunks_of_stage(model, plan, kernels, memory, layouts);
    const StateMemory states = state_memory(model, plan, memory.gradient_copy_bytes_per_parameter, stage);
    MemoryParts& parts = result.emplace_back();
    parts.weights_bytes = states.weights_bytes;
    parts.gradients_bytes = states.gradients_bytes;
    parts.optimizer_bytes = states.optimizer_bytes;
    parts.activations_bytes = peak_bytes(schedule[static_cast<std::size_t>(stage)], chunks);
    parts.buffers_bytes = states.unsharded_bytes + workspace_bytes(model, plan, layouts) +
                          pipeline_buffer_bytes(model, plan) + memory.fragmentation * parts.activations_bytes;
    if (stage + 1 == plan.pipeline) parts.buffers_bytes += loss_bytes(model, plan, memory);
    parts.framework_bytes = memory.framework_bytes;
  }
  return result;
}

std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory) {
  std::vector<std::vector<Slot>> schedule;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) schedule.push_back(schedule_slots(plan, stage));
  return memory_by_stage(model, plan, kernels, memory, schedule);
}

}  // namespace trainsim
