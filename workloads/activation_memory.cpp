#include "workloads/activation_memory.hpp"

#include <algorithm>

#include "workloads/expert_load.hpp"
#include "workloads/layer_shapes.hpp"
#include "workloads/linear_layers.hpp"
#include "workloads/low_precision.hpp"

namespace trainsim {
namespace {

constexpr double kMaskBytes = 1;     // of a dropout mask's element
constexpr double kTokenIdBytes = 8;  // int64
constexpr double kFp32Bytes = 4;

double as_double(std::int64_t value) { return static_cast<double>(value); }

double element_of(const Plan& plan) { return activation_element_bytes(plan.precision); }

// An element that is kept as the input of trained matrix products.
double operand_bytes(const Plan& plan) {
  return is_below_16_bits(plan.precision) ? low_precision_bytes(plan) : element_of(plan);
}

// Between layers, elements per token.
double hidden_width(const Model& model, const Plan& plan) {
  return as_double(model.hidden_size) / sequence_shards(plan);
}

double input_norm_bytes(const Model& model, const Plan& plan) {
  const double mask = model.dropout ? kMaskBytes : 0;
  return (element_of(plan) + mask) * hidden_width(model, plan);
}

// Of the input, `width` per token, of matrices that all read it; `adapted` are those with adapters.
double matrix_input_bytes(const Model& model, const Plan& plan, double width, const std::vector<LinearLayer>& adapted) {
  if (!model.lora) return operand_bytes(plan) * width;
  if (adapted.empty()) return 0;
  return element_of(plan) * (width + as_double(model.lora->rank) * static_cast<double>(adapted.size()));
}

// Inner activations that a matrix product puts out, for each that the next one reads.
double inner_outputs(const Model& model) { return model.gated_mlp ? 2.0 : 1.0; }

// Widths per token of what attention computes, on one rank.
struct AttentionWidths {
  double query = 0, key = 0, value = 0;
  double output = 0;  // before the last product
};

AttentionWidths attention_widths(const Model& model, const Plan& plan) {
  const AttentionHeads heads = heads_on_rank(model, plan);
  const double qk_dim = as_double(model.qk_dim());
  const double v_dim = as_double(model.v_dim());
  return {heads.query * qk_dim, heads.kv * qk_dim, heads.kv * v_dim, heads.query * v_dim};
}

// Per token, without and with selective recomputation.
struct Kept {
  double total = 0;
  double selective = 0;
};

// Beside query, key, value and output.
double core_bytes(const Model& model, const Plan& plan, const KernelPolicy& kernels) {
  const double heads = as_double(model.attention_heads) / as_double(plan.tensor);
  if (kernels.is_fused()) return kFp32Bytes * heads;
  const double element = element_of(plan);
  const double per_score = model.dropout ? 2 * element + kMaskBytes : element;
  return per_score * heads * as_double(plan.sequence_length);
}

// The output, which the last product reads and a fused core needs too.
double attended_bytes(const Model& model, const Plan& plan, const KernelPolicy& kernels, double width) {
  const auto adapted = adapted_layers(model, plan.tensor).attention_output;
  const double as_operand = matrix_input_bytes(model, plan, width, adapted);
  if (!kernels.is_fused()) return as_operand;
  const double wide = element_of(plan) * width;
  if (is_below_16_bits(plan.precision) && !model.lora) return wide + as_operand;
  return std::max(wide, as_operand);
}

// Compressed queries, keys and values: before and after their norms; and the shared rotary key.
double compressed_bytes(const Model& model, const Plan& plan) {
  if (!model.latent) return 0;
  const double compressed = as_double(model.latent->q_lora_rank + model.latent->kv_lora_rank);
  const double rotary = as_double(model.latent->qk_rope_head_dim);
  return ((element_of(plan) + operand_bytes(plan)) * compressed + element_of(plan) * rotary) / sequence_shards(plan);
}

// Outputs of the products that a wider selective recomputation does not run again.
double kept_products_width(const Model& model, const Plan& plan, const AttentionWidths& widths) {
  if (!model.latent) return widths.query + widths.value;
  const LatentAttention& latent = *model.latent;
  const double compressed = as_double(latent.q_lora_rank + latent.kv_lora_rank + latent.qk_rope_head_dim);
  return widths.query + compressed / sequence_shards(plan);
}

Kept attention_kept(const Model& model, const Plan& plan, const KernelPolicy& kernels) {
  const AttentionWidths widths = attention_widths(model, plan);
  const double element = element_of(plan);
  const double hidden = hidden_width(model, plan);
  const double core = core_bytes(model, plan, kernels);
  const auto adapted = adapted_layers(model, plan.tensor).attention_inputs;
  Kept kept;
  kept.total = input_norm_bytes(model, plan) + matrix_input_bytes(model, plan, hidden, adapted) +
               compressed_bytes(model, plan) + element * (widths.query + widths.key + widths.value) +
               attended_bytes(model, plan, kernels, widths.output) + core;
  if (kernels.recomputes_attention_only) {
    kept.selective = kept.total - (kernels.is_fused() ? 0 : core);
  } else {
    kept.selective = element * (hidden + widths.output + kept_products_width(model, plan, widths));
  }
  return kept;
}

// Of an element that the MLP's activation reads, as it is kept.
double activation_input_bytes(const Plan& plan, const KernelPolicy& kernels) {
  const bool is_narrow = kernels.keeps_activation_inputs_in_8_bits && is_below_16_bits(plan.precision);
  return is_narrow ? 1.0 : element_of(plan);
}

Kept mlp_kept(const Model& model, const Plan& plan, const KernelPolicy& kernels) {
  const AdaptedLayers adapted = adapted_layers(model, plan.tensor);
  const double hidden = hidden_width(model, plan);
  const double inner = as_double(model.ffn_hidden_size) / as_double(plan.tensor);
  Kept kept;
  kept.total = input_norm_bytes(model, plan) + matrix_input_bytes(model, plan, hidden, adapted.mlp_up) +
               activation_input_bytes(plan, kernels) * inner_outputs(model) * inner +
               matrix_input_bytes(model, plan, inner, adapted.mlp_down);
  kept.selective = kernels.recomputes_attention_only ? kept.total : element_of(plan) * (inner + hidden);
  return kept;
}

// Activations within experts of an inner width, per row.
double inner_bytes(const Model& model, const Plan& plan, double columns) {
  return (element_of(plan) * inner_outputs(model) + operand_bytes(plan)) * columns;
}

double shared_expert_bytes(const Model& model, const Plan& plan) {
  const Experts& experts = *model.experts;
  if (experts.shared_experts == 0) return 0;
  const double columns = as_double(experts.shared_experts * experts.ffn_hidden_size) / as_double(plan.tensor);
  // The router keeps the same input in 16 bits.
  const double input = is_below_16_bits(plan.precision) ? operand_bytes(plan) * hidden_width(model, plan) : 0;
  return input + inner_bytes(model, plan, columns);
}

double experts_kept_bytes(const Model& model, const Plan& plan, const KernelPolicy& kernels) {
  const Experts& experts = *model.experts;
  const double hidden = as_double(model.hidden_size);
  const double router_input = element_of(plan) * hidden_width(model, plan);
  const double outputs = kernels.scales_inside_experts ? 0 : element_of(plan) * as_double(experts.top_k) * hidden;
  const double per_token = input_norm_bytes(model, plan) + router_input + shared_expert_bytes(model, plan) +
                           (kFp32Bytes * as_double(experts.experts) + outputs) / sequence_shards(plan);
  const double per_row = operand_bytes(plan) * hidden + inner_bytes(model, plan, expert_columns(model, plan));
  return tokens_per_micro_batch(plan) * per_token + expert_rows_per_rank(model, plan) * per_row;
}

double context_exchange_bytes(const Model& model, const Plan& plan) {
  if (plan.context == 1) return 0;
  if (plan.context_kind == ContextKind::ring) return 4 * key_value_bytes(model, plan);
  return query_bytes(model, plan) + key_value_bytes(model, plan);
}

}  // namespace

LayerActivations layer_activations(const Model& model, LayerKind kind, const Plan& plan, const KernelPolicy& kernels) {
  const double tokens = tokens_per_micro_batch(plan);
  const Kept attention = attention_kept(model, plan, kernels);
  LayerActivations layer;
  layer.input_bytes = tokens * element_of(plan) * hidden_width(model, plan);
  if (kind.has_experts) {
    const double experts = experts_kept_bytes(model, plan, kernels);
    layer.total_bytes = tokens * attention.total + experts;
    layer.selective_bytes = tokens * attention.selective + experts;
  } else {
    const Kept mlp = mlp_kept(model, plan, kernels);
    layer.total_bytes = tokens * (attention.total + mlp.total);
    layer.selective_bytes = tokens * (attention.selective + mlp.selective);
  }
  layer.selective_bytes = std::min(layer.total_bytes, layer.selective_bytes);
  return layer;
}

double embedding_activation_bytes(const Model& model, const Plan& plan) {
  const double mask = model.dropout ? kMaskBytes * hidden_width(model, plan) : 0;
  return tokens_per_micro_batch(plan) * (kTokenIdBytes + mask);
}

double logits_per_micro_batch(const Model& model, const Plan& plan) {
  return tokens_per_micro_batch(plan) * vocabulary_parameters(model, plan.tensor) / as_double(model.hidden_size);
}

double head_activation_bytes(const Model& model, const Plan& plan, double softmax_bytes) {
  const double inputs = (model.lora ? 1 : 2) * element_of(plan) * tokens_per_micro_batch(plan);
  return inputs * hidden_width(model, plan) + softmax_bytes * logits_per_micro_batch(model, plan);
}

double layer_workspace_bytes(const Model& model, LayerKind kind, const Plan& plan) {
  const double hidden = as_double(model.hidden_size);
  const double gathered = plan.sequence_parallel ? 2 * hidden : 0;
  const double dense_inner = inner_outputs(model) * as_double(model.ffn_hidden_size) / as_double(plan.tensor);
  const double inner = kind.has_experts ? attention_widths(model, plan).query : dense_inner;
  double elements = tokens_per_micro_batch(plan) * (gathered + hidden_width(model, plan) + inner);
  if (kind.has_experts) {
    const double copies = tokens_per_micro_batch(plan) * as_double(model.experts->top_k) * hidden_width(model, plan);
    const double per_row = hidden + inner_outputs(model) * expert_columns(model, plan);
    elements = std::max(elements, copies + expert_rows_per_rank(model, plan) * per_row);
  }
  return element_of(plan) * elements + context_exchange_bytes(model, plan);
}

}  // namespace trainsim
