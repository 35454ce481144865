#include "workloads/state_memory.hpp"

#include <algorithm>
#include <vector>

#include "workloads/chunk_layout.hpp"
#include "workloads/low_precision.hpp"
#include "workloads/optimizer_state.hpp"
#include "workloads/shards.hpp"

namespace trainsim {
namespace {

// Of what a rank has whole, without shards, how much it keeps.
double kept(double dense, double expert, const Shards& shards) { return dense / shards.dense + expert / shards.expert; }

// How much of it is not there unless it is gathered.
double spread(double dense, double expert, const Shards& shards) {
  return (shards.dense > 1 ? dense : 0) + (shards.expert > 1 ? expert : 0);
}

// A part of a chunk; only layers have products below 16 bits.
struct Part {
  Parameters parameters;
  bool is_layer = true;
};

std::vector<Part> parts_of(const ChunkLayout& layout, const Model& model, const Plan& plan) {
  std::vector<Part> parts;
  for (const Parameters& parameters : part_parameters(layout, model, plan)) {
    parts.push_back({parameters, layout.is_layer(parts.size())});
  }
  return parts;
}

// Of one weight that a rank has whole, kept for good or gathered.
double whole_weight_bytes(const Plan& plan, bool is_layer, bool is_low_precision_alone) {
  const double wide = activation_element_bytes(plan.precision);
  if (!is_layer || !is_below_16_bits(plan.precision)) return wide;
  return low_precision_bytes(plan) + (is_low_precision_alone ? 0 : wide);
}

double kept_weight_bytes(const Plan& plan, const Part& part) {
  const bool is_full = plan.sharding == ShardingKind::full;
  const double per_parameter = is_full ? activation_element_bytes(plan.precision)
                                       : whole_weight_bytes(plan, part.is_layer, plan.low_precision_weights);
  const Parameters& whole = part.parameters;
  return per_parameter * kept(whole.dense + whole.frozen, whole.expert, weight_shards(plan));
}

double gathered_weight_bytes(const Plan& plan, const Part& part) {
  const Parameters& whole = part.parameters;
  return whole_weight_bytes(plan, part.is_layer, plan.low_precision_weights) *
         spread(whole.dense + whole.frozen, whole.expert, weight_shards(plan));
}

double unreduced_gradient_bytes(const Plan& plan, const Parameters& whole) {
  return element_bytes(plan.grad_dtype) * spread(whole.dense, whole.expert, gradient_shards(plan));
}

// The largest sum of two neighbours; of all, where there is but one.
double largest_pair(const std::vector<double>& bytes) {
  double largest = bytes.empty() ? 0 : bytes.front();
  for (std::size_t i = 1; i < bytes.size(); ++i) largest = std::max(largest, bytes[i - 1] + bytes[i]);
  return largest;
}

// Weights and gradients that full sharding makes whole while a chunk is at work.
struct GatheredChunk {
  double all_weights_bytes = 0;
  double two_gradients_bytes = 0;
  double two_parts_bytes = 0;  // weights and gradients
};

GatheredChunk gathered_chunk(const ChunkLayout& layout, const Model& model, const Plan& plan) {
  std::vector<double> gradients;
  std::vector<double> parts;
  GatheredChunk chunk;
  for (const Part& part : parts_of(layout, model, plan)) {
    const double weights = gathered_weight_bytes(plan, part);
    chunk.all_weights_bytes += weights;
    gradients.push_back(unreduced_gradient_bytes(plan, part.parameters));
    parts.push_back(weights + gradients.back());
  }
  if (layout.has_head && layout.has_embedding && model.tied_embeddings) {
    // The head reads the embedding's table.
    gradients[layout.head_part()] += gradients[layout.embedding_part()];
    parts[layout.head_part()] += parts[layout.embedding_part()];
  }
  chunk.two_gradients_bytes = largest_pair(gradients);
  chunk.two_parts_bytes = largest_pair(parts);
  return chunk;
}

double fully_sharded_bytes(const Model& model, const Plan& plan, std::int64_t stage) {
  double weights = 0;
  double gradients = 0;
  double parts = 0;
  for (const ChunkLayout& layout : chunk_layouts(model, plan, stage)) {
    const GatheredChunk chunk = gathered_chunk(layout, model, plan);
    weights += chunk.all_weights_bytes;
    gradients = std::max(gradients, chunk.two_gradients_bytes);
    parts = std::max(parts, chunk.two_parts_bytes);
  }
  return plan.reshards_after_forward ? parts : weights + gradients;
}

double unsharded_bytes(const Model& model, const Plan& plan, std::int64_t stage) {
  if (plan.sharding == ShardingKind::full) return fully_sharded_bytes(model, plan, stage);
  return std::min(2 * plan.overlap.bucket_bytes, unreduced_gradient_bytes(plan, stage_parameters(model, plan, stage)));
}

}  // namespace

StateMemory state_memory(const Model& model, const Plan& plan, double gradient_copy_bytes, std::int64_t stage) {
  StateMemory memory;
  const double gradient_bytes = element_bytes(plan.grad_dtype) + gradient_copy_bytes;
  for (const ChunkLayout& layout : chunk_layouts(model, plan, stage)) {
    for (const Part& part : parts_of(layout, model, plan)) {
      const Parameters& whole = part.parameters;
      memory.weights_bytes += kept_weight_bytes(plan, part);
      memory.gradients_bytes += gradient_bytes * kept(whole.dense, whole.expert, gradient_shards(plan));
    }
    const OptimizerBytes optimizer = optimizer_bytes(layout, model, plan);
    memory.optimizer_bytes += kept(optimizer.dense, optimizer.expert, optimizer_shards(plan));
  }
  memory.unsharded_bytes = unsharded_bytes(model, plan, stage);
  return memory;
}

}  // namespace trainsim
