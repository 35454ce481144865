#include "workloads/transformer_layer.hpp"

namespace trainsim {
namespace {

// Passes over the hidden states that memory-bound kernels of one layer make, by how they are split over ranks.
struct Passes {
  double sequence;    // norms and residuals of both blocks; split by sequence parallelism
  double attention;   // layout changes and positions; split by heads
  double activation;  // over tokens x ffn size; split by columns
};

Passes forward_passes(const Model& model, const KernelPolicy& policy) {
  return {model.dropout ? 11.0 : 10.0, policy.flash_attention > 0 ? 4.0 : 8.0, model.gated_mlp ? 5.0 : 2.0};
}

Passes backward_passes(const Model& model, const KernelPolicy& policy) {
  const double plain_activation = model.dropout ? 3.0 : 3.2;
  return {model.dropout ? 17.0 : 15.0, policy.flash_attention > 0 ? 6.0 : 8.0,
          model.gated_mlp ? 8.0 : plain_activation};
}

double sequence_shards(const Plan& plan) { return plan.sequence_parallel ? static_cast<double>(plan.tensor) : 1.0; }

// An eager stack makes more passes because each is a kernel of its own, so launches grow with the passes.
MemoryBound elementwise(double bytes, double kernels, const KernelPolicy& policy) {
  return {bytes * policy.elementwise_pass_factor, kernels * policy.elementwise_pass_factor, false};
}

// Y[tokens, outputs] = X[tokens, inputs] W and its two gradients.
struct Linear {
  double tokens = 0, outputs = 0, inputs = 0;
  bool accumulates_fp32 = false;
  bool stays_16_bit = false;

  [[nodiscard]] MatMul forward() const { return {tokens, outputs, inputs, 1, false, stays_16_bit}; }
  [[nodiscard]] MatMul data_gradient() const { return {tokens, inputs, outputs, 1, false, stays_16_bit}; }
  [[nodiscard]] MatMul weight_gradient() const { return {outputs, inputs, tokens, 1, accumulates_fp32, stays_16_bit}; }
};

Linear linear(const Plan& plan, double outputs, double inputs) {
  return {tokens_per_micro_batch(plan), outputs, inputs, plan.grad_dtype == "fp32", false};
}

// What one rank computes of the attention core.
struct AttentionShape {
  double batch, heads, kv_heads, queries, keys, head_dim;
  bool is_causal;
  double element_bytes;
};

AttentionShape attention_shape(const Model& model, const Plan& plan) {
  const auto tensor = static_cast<double>(plan.tensor);
  AttentionShape shape{};
  shape.batch = static_cast<double>(plan.micro_batch_size);
  shape.heads = static_cast<double>(model.attention_heads) / tensor;
  shape.kv_heads = static_cast<double>(kv_heads_per_rank(model, plan.tensor));
  shape.queries = static_cast<double>(plan.sequence_length) / static_cast<double>(plan.context);
  shape.keys = static_cast<double>(plan.sequence_length);
  shape.head_dim = static_cast<double>(model.head_dim);
  shape.is_causal = model.attention == AttentionKind::causal;
  shape.element_bytes = activation_element_bytes(plan.precision);
  return shape;
}

FusedAttention fused_attention(const AttentionShape& shape, bool is_backward) {
  return {shape.batch, shape.heads,    shape.kv_heads,  shape.queries,
          shape.keys,  shape.head_dim, shape.is_causal, is_backward};
}

// Unfused attention computes the full square of scores, also where a causal mask hides half of it.
std::vector<Kernel> attention_core_forward(const AttentionShape& a, const KernelPolicy& policy) {
  if (policy.flash_attention > 0) return {fused_attention(a, false)};
  const double count = a.batch * a.heads;
  const double scores_bytes = count * a.queries * a.keys * a.element_bytes;
  return {MatMul{a.queries, a.keys, a.head_dim, count, false, true}, MemoryBound{4.5 * scores_bytes, 2, false},
          MatMul{a.queries, a.head_dim, a.keys, count, false, true}};
}

std::vector<Kernel> attention_core_backward(const AttentionShape& a, const KernelPolicy& policy) {
  if (policy.flash_attention > 0) return {fused_attention(a, true)};
  const double count = a.batch * a.heads;
  const double scores_bytes = count * a.queries * a.keys * a.element_bytes;
  const MatMul values{a.keys, a.head_dim, a.queries, count, false, true};         // dV = P^T dO
  const MatMul probabilities{a.queries, a.keys, a.head_dim, count, false, true};  // dP = dO V^T
  const MatMul queries{a.queries, a.head_dim, a.keys, count, false, true};        // dQ = dS K
  const MatMul keys{a.keys, a.head_dim, a.queries, count, false, true};           // dK = dS^T Q
  return {values, probabilities, MemoryBound{6.5 * scores_bytes, 2, false}, queries, keys};
}

void append(std::vector<Kernel>& kernels, const std::vector<Kernel>& more) {
  kernels.insert(kernels.end(), more.begin(), more.end());
}

}  // namespace

double tokens_per_micro_batch(const Plan& plan) {
  return static_cast<double>(plan.micro_batch_size) * static_cast<double>(plan.sequence_length) /
         static_cast<double>(plan.context);
}

double hidden_bytes(const Model& model, const Plan& plan) {
  return tokens_per_micro_batch(plan) * static_cast<double>(model.hidden_size) *
         activation_element_bytes(plan.precision);
}

BlockKernels attention_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const AttentionShape shape = attention_shape(model, plan);
  const auto hidden = static_cast<double>(model.hidden_size);
  const Linear qkv = linear(plan, (shape.heads + 2 * shape.kv_heads) * shape.head_dim, hidden);
  const Linear output = linear(plan, hidden, shape.heads * shape.head_dim);
  const double layout_kernels = policy.flash_attention > 0 ? 2 : 4;
  const auto memory = [&](const Passes& passes, double kernels) {
    const double by_rank =
        passes.sequence / 2 / sequence_shards(plan) + passes.attention / static_cast<double>(plan.tensor);
    return elementwise(by_rank * hidden_bytes(model, plan), kernels, policy);
  };
  const MemoryBound forward_memory = memory(forward_passes(model, policy), 2 + layout_kernels);
  const std::vector<Kernel> core = attention_core_forward(shape, policy);

  BlockKernels block;
  block.lead = {forward_memory};
  block.column_product = {qkv.forward()};
  block.core = core;
  block.row_product = {output.forward()};
  if (!policy.recomputes_attention_only) {
    const Linear keys = linear(plan, shape.kv_heads * shape.head_dim, hidden);
    block.selective = {forward_memory, keys.forward(), output.forward()};
  }
  if (policy.flash_attention == 0) append(block.selective, core);
  block.row_data_gradient = {output.data_gradient()};
  block.backward = {memory(backward_passes(model, policy), 4 + layout_kernels), output.weight_gradient()};
  append(block.backward, attention_core_backward(shape, policy));
  block.data_gradient = {qkv.data_gradient()};
  block.weight_gradient = {qkv.weight_gradient()};
  return block;
}

BlockKernels mlp_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const double columns = static_cast<double>(model.ffn_hidden_size) / static_cast<double>(plan.tensor);
  const Linear up = linear(plan, columns * (model.gated_mlp ? 2 : 1), hidden);
  const Linear down = linear(plan, hidden, columns);
  const auto memory = [&](const Passes& passes, double kernels) {
    const double by_rank = passes.sequence / 2 / sequence_shards(plan) + passes.activation * columns / hidden;
    return elementwise(by_rank * hidden_bytes(model, plan), kernels, policy);
  };
  const MemoryBound forward_memory = memory(forward_passes(model, policy), 3);

  BlockKernels block;
  block.lead = {forward_memory};
  block.column_product = {up.forward()};
  block.row_product = {down.forward()};
  if (!policy.recomputes_attention_only) {
    block.selective = {forward_memory};
    if (model.gated_mlp) block.selective.emplace_back(linear(plan, columns, hidden).forward());
  }
  block.row_data_gradient = {down.data_gradient()};
  block.backward = {memory(backward_passes(model, policy), 5), down.weight_gradient()};
  block.data_gradient = {up.data_gradient()};
  block.weight_gradient = {up.weight_gradient()};
  return block;
}

BlockKernels head_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const double vocabulary = vocabulary_parameters(model, plan.tensor) / hidden;
  Linear logits = linear(plan, vocabulary, hidden);
  logits.stays_16_bit = true;
  // Masked-word transform of BERT: a matrix that every rank holds whole, with a norm of its own.
  Linear transform = linear(plan, hidden, hidden);
  transform.tokens /= sequence_shards(plan);
  const bool has_norm = !model.embedding_norm || model.pretraining_heads;
  const double norm_bytes = hidden_bytes(model, plan) / sequence_shards(plan);
  // Half of the loss's traffic makes the loss from the logits, half makes their gradient.
  const double loss_bytes = policy.loss_bytes_per_logit / 2 * logits.tokens * vocabulary;

  BlockKernels block;
  if (model.pretraining_heads) {
    block.lead = {transform.forward()};
    block.backward = {transform.data_gradient(), transform.weight_gradient()};
  }
  if (has_norm) {
    block.lead.emplace_back(elementwise(2 * norm_bytes, 1, policy));
    block.backward.emplace_back(elementwise(3 * norm_bytes, 2, policy));
  }
  block.column_product = {logits.forward()};
  if (loss_bytes > 0) {
    block.core = {MemoryBound{loss_bytes, 4, false}};
    block.backward.emplace_back(MemoryBound{loss_bytes, 2, false});
  }
  block.data_gradient = {logits.data_gradient()};
  block.weight_gradient = {logits.weight_gradient()};
  return block;
}

EmbeddingKernels embedding_kernels(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  // Looked-up rows are read and written; each further table adds a read and a write, dropout its mask as well.
  double forward_passes = 2;
  double backward_passes = 1;
  double kernels = 1;
  const auto add = [&](bool is_there, double forward, double backward) {
    if (!is_there) return;
    forward_passes += forward;
    backward_passes += backward;
    kernels += 1;
  };
  add(model.position == PositionKind::learned, 2, 1);
  add(model.token_types > 0, 2, 1);
  add(model.embedding_norm, 2, 3);
  add(model.dropout, 2.5, 2.5);
  const double hidden = hidden_bytes(model, plan);
  // The gradient is added to the rows it belongs to: a read and a write of each.
  const double gradient_rows =
      tokens_per_micro_batch(plan) * static_cast<double>(model.hidden_size) * element_bytes(plan.grad_dtype);
  return {{elementwise(hidden * forward_passes, kernels, policy)},
          {elementwise(hidden * backward_passes + 2 * gradient_rows, kernels, policy)}};
}

}  // namespace trainsim
