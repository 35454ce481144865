#include <algorithm>
#include <cmath>

#include "workloads/transformer_layer.hpp"

namespace trainsim {
namespace {

// Passes over the queries of layout changes and positions, split by heads.
double layout_passes(const KernelPolicy& policy, bool is_backward) {
  if (!policy.is_fused()) return 8.0;
  return is_backward ? 6.0 : 4.0;
}

// Keys that a query of the slowest rank meets. Where ranks hold the sequence in order, that is the last one: the mean
// over its positions x of the smaller of x and the window; (2 - 1/context) times the mean of all without a window.
double slowest_attended_keys(const Model& model, LayerKind kind, const Plan& plan) {
  const double mean = attended_keys(model, kind, plan.sequence_length);
  if (plan.balances_context || model.attention == AttentionKind::bidirectional) return mean;
  const auto length = static_cast<double>(plan.sequence_length);
  const double seen = kind.is_windowed ? std::min(length, static_cast<double>(model.window)) : length;
  const double begin = length * (1 - 1 / static_cast<double>(plan.context));
  if (seen <= begin) return seen;
  return ((seen * seen - begin * begin) / 2 + seen * (length - seen)) / (length - begin);
}

// What one rank computes of one piece of the attention core, forward.
FusedAttention core_shape(const Model& model, LayerKind kind, const Plan& plan) {
  const auto context = static_cast<double>(plan.context);
  const auto length = static_cast<double>(plan.sequence_length);
  FusedAttention shape;
  shape.batch = static_cast<double>(plan.micro_batch_size);
  shape.heads = heads_on_rank(model, plan).query;
  shape.queries = length;
  shape.keys = kind.is_windowed ? std::min(length, static_cast<double>(model.window)) : length;
  shape.attended_keys = attended_keys(model, kind, plan.sequence_length);
  shape.qk_dim = static_cast<double>(model.qk_dim());
  shape.v_dim = static_cast<double>(model.v_dim());
  if (plan.context == 1) return shape;
  if (plan.context_kind == ContextKind::ulysses) {  // all positions, some of the heads
    shape.heads /= context;
    return shape;
  }
  // Own queries against one rank's keys at a time. All pieces but the own one are rectangles without a mask: all of one
  // half of the keys, or all of them for half of the queries.
  shape.queries /= context;
  shape.attended_keys = slowest_attended_keys(model, kind, plan) / context;
  shape.keys = shape.attended_keys;
  return shape;
}

// What PyTorch's kernels take more than one fused scale-mask-softmax, in passes over 16-bit scores and in kernels.
// Forward: cast to fp32, scale, three kernels that make the causal mask, fill, softmax, cast back, 35 bytes a score for
// 4. Backward: casts, softmax, fill, scale, 41 for 6.
struct PlainSoftmax {
  double forward_passes = 15.5;
  int forward_kernels = 7;
  double backward_passes = 17.5;
  int backward_kernels = 4;
};
constexpr PlainSoftmax kPlainSoftmax;

// An unfused core computes the full square of scores, also where a causal mask hides half of it.
struct UnfusedCore {
  double count = 0;  // products side by side: one for each head of each sequence
  double length = 0;
  double qk_dim = 0, v_dim = 0;
  double scores_bytes = 0;
  bool fuses_softmax = true;

  [[nodiscard]] MatMul product(double n, double k) const {
    return {.m = length, .n = n, .k = k, .count = count, .stays_16_bit = true};
  }
  // With dropout.
  [[nodiscard]] MemoryBound softmax(double fused_passes, double plain_passes, int plain_kernels) const {
    MemoryBound passes{.bytes = fused_passes * scores_bytes, .kernels = 2};
    if (!fuses_softmax) passes.bytes += plain_passes * scores_bytes;
    if (!fuses_softmax) passes.kernels += plain_kernels;
    return passes;
  }
  [[nodiscard]] Kernels forward() const {
    return {product(length, qk_dim), softmax(4.5, kPlainSoftmax.forward_passes, kPlainSoftmax.forward_kernels),
            product(v_dim, length)};
  }
  [[nodiscard]] Kernels backward() const {
    return {product(v_dim, length),  // dV = P^T dO
            product(length, v_dim),  // dP = dO V^T
            softmax(6.5, kPlainSoftmax.backward_passes, kPlainSoftmax.backward_kernels),
            product(qk_dim, length),   // dQ = dS K
            product(qk_dim, length)};  // dK = dS^T Q
  }
};

UnfusedCore unfused_core(const FusedAttention& shape, const Plan& plan, const KernelPolicy& policy) {
  const double count = shape.batch * shape.heads;
  const double scores_bytes = count * shape.queries * shape.queries * activation_element_bytes(plan.precision);
  const bool fuses_softmax = std::fmod(count, policy.fused_softmax_multiple) == 0.0;
  return {count, shape.queries, shape.qk_dim, shape.v_dim, scores_bytes, fuses_softmax};
}

void add_core(BlockKernels& block, const FusedAttention& forward, const Plan& plan, const KernelPolicy& policy) {
  if (!policy.is_fused()) {
    const UnfusedCore core = unfused_core(forward, plan, policy);
    block.core = core.forward();
    block.core_backward = core.backward();
    return;
  }
  FusedAttention backward = forward;
  backward.is_backward = true;
  block.core = {forward};
  block.core_backward = {backward};
}

// The product that makes keys alone, which per-operator recomputation runs again.
LinearLayer key_layer(const Model& model, const Plan& plan) {
  if (model.latent) return attention_matrices(model, plan.tensor).inputs.back();
  const auto width = static_cast<double>(kv_heads_per_rank(model, plan.tensor) * model.head_dim);
  return {width, static_cast<double>(model.hidden_size)};
}

}  // namespace

BlockKernels attention_block(const Model& model, LayerKind kind, const Plan& plan, const KernelPolicy& policy) {
  const double tokens = tokens_per_micro_batch(plan);
  const AttentionMatrices matrices = attention_matrices(model, plan.tensor);
  const AdaptedLayers adapted = adapted_layers(model, plan.tensor);
  const Products inputs(model, plan, tokens, matrices.inputs, adapted.attention_inputs);
  const Products output(model, plan, tokens, {matrices.output}, adapted.attention_output);
  const double layout_kernels = policy.is_fused() ? 2 : 4;
  const auto memory = [&](bool is_backward, double kernels, double cast_bytes) {
    const double hidden =
        norm_and_residual_passes(model, is_backward) / sequence_shards(plan) * hidden_bytes(model, plan);
    const double layout = layout_passes(policy, is_backward) * query_bytes(model, plan);
    return elementwise(hidden + layout + cast_bytes, kernels, policy);
  };
  const MemoryBound forward_memory =
      memory(false, 2 + layout_kernels, inputs.input_cast_bytes() + output.input_cast_bytes());

  BlockKernels block;
  block.lead = {forward_memory};
  block.column_product = inputs.forward();
  add_core(block, core_shape(model, kind, plan), plan, policy);
  block.row_product = output.forward();
  if (!policy.recomputes_attention_only) {
    block.selective = {forward_memory};
    append(block.selective, Products(model, plan, tokens, {key_layer(model, plan)}).forward());
    append(block.selective, output.forward());
  }
  if (!policy.is_fused()) append(block.selective, block.core);
  block.row_data_gradient = output.data_gradient();
  block.backward = {memory(true, 4 + layout_kernels, inputs.gradient_cast_bytes() + output.gradient_cast_bytes())};
  append(block.backward, output.weight_gradient());
  block.data_gradient = inputs.data_gradient();
  block.weight_gradient = inputs.weight_gradient();
  const bool is_ring = plan.context > 1 && plan.context_kind == ContextKind::ring;
  block.core_pieces = is_ring ? static_cast<int>(plan.context) : 1;
  return block;
}

}  // namespace trainsim
