#include "workloads/memory.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace trainsim {
namespace {

constexpr double kMaskBytes = 1;     // of a dropout mask's element
constexpr double kTokenIdBytes = 8;  // int64
constexpr double kFp32Bytes = 4;

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Tokens of one micro-batch on one rank.
double tokens(const Plan& plan) {
  return as_double(plan.micro_batch_size) * as_double(plan.sequence_length) / as_double(plan.context);
}

// Ranks over which the hidden state is split between layers.
double sequence_ranks(const Plan& plan) { return plan.sequence_parallel ? as_double(plan.tensor) : 1; }

double sharding_ranks(const Plan& plan) { return as_double(plan.data * plan.context); }

bool shards_gradients(const Plan& plan) {
  const bool may = plan.sharding == ShardingKind::gradients || plan.sharding == ShardingKind::full;
  return may && plan.reduces_every_micro_batch;
}

// Widths on one rank of what a layer computes, in elements per token.
struct LayerWidths {
  double hidden = 0;      // between layers, split with sequence parallelism
  double query = 0;       // also of attention's output
  double kv = 0;          // keys, and values
  double ffn = 0;         // one inner activation
  double ffn_inputs = 1;  // inner activations that a matrix product puts out: 2 when gated
};

LayerWidths layer_widths(const Model& model, const Plan& plan) {
  const double ranks = as_double(plan.tensor);
  return {.hidden = as_double(model.hidden_size) / sequence_ranks(plan),
          .query = as_double(model.attention_heads * model.head_dim) / ranks,
          .kv = as_double(kv_heads_per_rank(model, plan.tensor) * model.head_dim),
          .ffn = as_double(model.ffn_hidden_size) / ranks,
          .ffn_inputs = model.gated_mlp ? 2.0 : 1.0};
}

// Attention's intermediate results per token, beside query, key, value and output.
double attention_core_bytes_per_token(const Model& model, const Plan& plan, bool is_fused) {
  const double heads = as_double(model.attention_heads) / as_double(plan.tensor);
  if (is_fused) return kFp32Bytes * heads;
  const double element = activation_element_bytes(plan.precision);
  const double per_score = model.dropout ? 2 * element + kMaskBytes : element;
  return per_score * heads * as_double(plan.sequence_length);
}

// Of one chunk on one stage.
struct ChunkActivations {
  double kept_bytes = 0;      // per micro-batch, from its forward to its backward pass
  double backward_bytes = 0;  // what its backward pass needs on top while it recomputes
};

double embedding_activation_bytes(const Model& model, const Plan& plan) {
  const double mask = model.dropout ? kMaskBytes * as_double(model.hidden_size) / sequence_ranks(plan) : 0;
  return tokens(plan) * (kTokenIdBytes + mask);
}

double logits(const Model& model, const Plan& plan) {
  return tokens(plan) * vocabulary_parameters(model, plan.tensor) / as_double(model.hidden_size);
}

double head_activation_bytes(const Model& model, const Plan& plan, const MemoryPolicy& memory) {
  const double element = activation_element_bytes(plan.precision);
  const double inputs = 2 * element * tokens(plan) * as_double(model.hidden_size) / sequence_ranks(plan);
  return inputs + std::min(kFp32Bytes, memory.loss_bytes_per_logit) * logits(model, plan);
}

ChunkActivations chunk_layers(const Plan& plan, const LayerActivations& layer, std::int64_t chunk) {
  const std::int64_t layers = plan.layers_per_chunk[static_cast<std::size_t>(chunk)];
  const bool is_selective = plan.recompute == RecomputeKind::selective;
  const std::int64_t recomputed = plan.recomputed_in_chunk(chunk);
  const double other_layer = is_selective ? layer.selective_bytes : layer.total_bytes;
  const double others = as_double(layers - recomputed) * other_layer;
  ChunkActivations result;
  result.kept_bytes = as_double(recomputed) * layer.input_bytes + others;
  if (recomputed > 0) {
    // The others come last, so their activations are gone when the first recomputation starts.
    result.backward_bytes = std::max(0.0, layer.total_bytes - layer.input_bytes - others);
  } else if (is_selective && layers > 0) {
    result.backward_bytes = layer.total_bytes - layer.selective_bytes;
  }
  return result;
}

// By virtual stage of one pipeline rank.
std::vector<ChunkActivations> chunks_of_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                              const MemoryPolicy& memory, std::int64_t stage) {
  LayerActivations layer = layer_activations(model, plan, kernels);
  layer.total_bytes *= memory.activation_factor;
  layer.selective_bytes *= memory.activation_factor;
  std::vector<ChunkActivations> result;
  for (std::int64_t chunk = stage; chunk < plan.chunks(); chunk += plan.pipeline) {
    ChunkActivations& activations = result.emplace_back(chunk_layers(plan, layer, chunk));
    if (chunk == 0) activations.kept_bytes += embedding_activation_bytes(model, plan);
    if (chunk + 1 == plan.chunks()) activations.kept_bytes += head_activation_bytes(model, plan, memory);
  }
  return result;
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

// Whole weights and gradients that exist beside the shards: two layers (one at work, one on its way) and, on the stages
// that have them, embedding or head; two buckets of gradients on their way to the shards' owners.
double unsharded_bytes(const Model& model, const Plan& plan, double parameters) {
  double bytes = 0;
  if (plan.sharding == ShardingKind::full) {
    const double vocabulary = vocabulary_parameters(model, plan.tensor);
    const double layers = 2 * layer_parameters(model, plan.tensor);
    bytes += activation_element_bytes(plan.precision) * std::min(parameters, std::max(layers, vocabulary));
  }
  if (shards_gradients(plan)) {
    bytes += std::min(2 * plan.overlap.bucket_bytes, element_bytes(plan.grad_dtype) * parameters);
  }
  return sharding_ranks(plan) > 1 ? bytes : 0;
}

// Tensors that live only while one layer runs backward: gradients of its output and of its widest inner activation, and
// with sequence parallelism the gathered input and its gradient.
double layer_workspace_bytes(const Model& model, const Plan& plan) {
  const LayerWidths widths = layer_widths(model, plan);
  const double gathered = plan.sequence_parallel ? 2 * as_double(model.hidden_size) : 0;
  const double gradients = widths.hidden + widths.ffn_inputs * widths.ffn;
  return activation_element_bytes(plan.precision) * tokens(plan) * (gathered + gradients);
}

// Received activations and gradients, one of each; two of each where receiving overlaps with computing.
double pipeline_buffer_bytes(const Model& model, const Plan& plan) {
  if (plan.pipeline == 1) return 0;
  const double tensors = plan.overlap.pipeline ? 4 : 2;
  return tensors * activation_element_bytes(plan.precision) * tokens(plan) * layer_widths(model, plan).hidden;
}

double buffer_bytes(const Model& model, const Plan& plan, const MemoryPolicy& memory, std::int64_t stage) {
  double bytes = unsharded_bytes(model, plan, stage_parameters(model, plan, stage));
  bytes += layer_workspace_bytes(model, plan) + pipeline_buffer_bytes(model, plan);
  if (stage + 1 == plan.pipeline) {
    bytes += std::max(0.0, memory.loss_bytes_per_logit - kFp32Bytes) * logits(model, plan);
  }
  return bytes;
}

}  // namespace

LayerActivations layer_activations(const Model& model, const Plan& plan, const KernelPolicy& kernels) {
  const LayerWidths widths = layer_widths(model, plan);
  const double element = activation_element_bytes(plan.precision);
  const double core = attention_core_bytes_per_token(model, plan, kernels.flash_attention > 0);
  const double masks = model.dropout ? 2 * kMaskBytes : 0;
  const double norms_and_inputs = (4 * element + masks) * widths.hidden;
  const double attention = element * (2 * widths.query + 2 * widths.kv);
  const double mlp = element * (widths.ffn_inputs + 1) * widths.ffn;

  LayerActivations result;
  result.input_bytes = tokens(plan) * element * widths.hidden;
  result.total_bytes = tokens(plan) * (norms_and_inputs + attention + mlp + core);
  if (kernels.recomputes_attention_only) {
    const bool drops_core = kernels.flash_attention == 0;
    result.selective_bytes = result.total_bytes - (drops_core ? tokens(plan) * core : 0);
  } else {
    const double products = widths.query + widths.kv + widths.ffn + widths.hidden;  // of q, v, up, down
    const double kept = element * (widths.hidden + widths.query + products);
    result.selective_bytes = std::min(result.total_bytes, tokens(plan) * kept);
  }
  return result;
}

double optimizer_state_bytes_per_parameter(const std::string& optimizer, const std::string& precision) {
  const double master = activation_element_bytes(precision) < kFp32Bytes ? kFp32Bytes : 0;
  if (optimizer == "adam" || optimizer == "adamw") return master + 2 * kFp32Bytes;
  if (optimizer == "momentum") return master + kFp32Bytes;
  if (optimizer == "sgd") return master;
  throw std::invalid_argument("unknown optimizer '" + optimizer + "'");
}

double stage_parameters(const Model& model, const Plan& plan, std::int64_t stage) {
  std::int64_t layers = 0;
  for (std::int64_t chunk = stage; chunk < plan.chunks(); chunk += plan.pipeline) {
    layers += plan.layers_per_chunk.at(static_cast<std::size_t>(chunk));
  }
  double count = as_double(layers) * layer_parameters(model, plan.tensor);
  if (stage == 0) count += embedding_parameters(model, plan.tensor);
  if (stage + 1 == plan.pipeline) {
    count += head_parameters(model, plan.tensor);
    if (model.tied_embeddings && plan.pipeline > 1) count += vocabulary_parameters(model, plan.tensor);
  }
  return count;
}

std::vector<MemoryParts> memory_by_stage(const Model& model, const Plan& plan, const KernelPolicy& kernels,
                                         const MemoryPolicy& memory, const std::vector<std::vector<Slot>>& schedule) {
  assert(static_cast<std::int64_t>(schedule.size()) == plan.pipeline);
  const double weight_ranks = plan.sharding == ShardingKind::full ? sharding_ranks(plan) : 1;
  const double gradient_ranks = shards_gradients(plan) ? sharding_ranks(plan) : 1;
  const double optimizer_ranks = plan.sharding == ShardingKind::none ? 1 : sharding_ranks(plan);

  std::vector<MemoryParts> result;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) {
    const double parameters = stage_parameters(model, plan, stage);
    const auto chunks = chunks_of_stage(model, plan, kernels, memory, stage);
    MemoryParts& parts = result.emplace_back();
    parts.weights_bytes = activation_element_bytes(plan.precision) * parameters / weight_ranks;
    const double gradient_bytes = element_bytes(plan.grad_dtype) + memory.gradient_copy_bytes_per_parameter;
    parts.gradients_bytes = gradient_bytes * parameters / gradient_ranks;
    parts.optimizer_bytes =
        optimizer_state_bytes_per_parameter(plan.optimizer, plan.precision) * parameters / optimizer_ranks;
    parts.activations_bytes = peak_bytes(schedule[static_cast<std::size_t>(stage)], chunks);
    parts.buffers_bytes = buffer_bytes(model, plan, memory, stage) + memory.fragmentation * parts.activations_bytes;
    parts.framework_bytes = memory.framework_bytes;
  }
  return result;
}

}  // namespace trainsim
