// The two ends of the model: embedding, and head with its loss.
#include "workloads/transformer_layer.hpp"

namespace trainsim {
namespace {

// The head's products stay in 16 bits.
Linear linear(const Plan& plan, double outputs, double inputs) {
  return {.tokens = tokens_per_micro_batch(plan),
          .outputs = outputs,
          .inputs = inputs,
          .accumulates_fp32 = plan.grad_dtype == "fp32",
          .stays_16_bit = true};
}

}  // namespace

BlockKernels head_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const double vocabulary = vocabulary_parameters(model, plan.tensor) / hidden;
  const Linear logits = linear(plan, vocabulary, hidden);
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
    block.backward = {transform.data_gradient()};
    if (!model.lora) block.backward.emplace_back(transform.weight_gradient());
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
  if (!model.lora) block.weight_gradient = {logits.weight_gradient()};
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
  EmbeddingKernels embedding;
  embedding.forward = {elementwise(hidden * forward_passes, kernels, policy)};
  if (!model.lora) {
    embedding.backward = {elementwise(hidden * backward_passes + 2 * gradient_rows, kernels, policy)};
  }
  return embedding;
}

}  // namespace trainsim
