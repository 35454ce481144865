#include "workloads/layer_shapes.hpp"

#include <algorithm>

namespace trainsim {

double tokens_per_micro_batch(const Plan& plan) {
  return static_cast<double>(plan.micro_batch_size) * static_cast<double>(plan.sequence_length) /
         static_cast<double>(plan.context);
}

double hidden_bytes(const Model& model, const Plan& plan) {
  return tokens_per_micro_batch(plan) * static_cast<double>(model.hidden_size) *
         activation_element_bytes(plan.precision);
}

double sequence_shards(const Plan& plan) { return plan.sequence_parallel ? static_cast<double>(plan.tensor) : 1.0; }

AttentionHeads heads_on_rank(const Model& model, const Plan& plan) {
  const double query = static_cast<double>(model.attention_heads) / static_cast<double>(plan.tensor);
  if (model.latent) return {query, query};
  auto kv = static_cast<double>(kv_heads_per_rank(model, plan.tensor));
  if (plan.context_kind == ContextKind::ulysses) kv = std::max(kv, std::min(query, static_cast<double>(plan.context)));
  return {query, kv};
}

double query_bytes(const Model& model, const Plan& plan) {
  const double width = heads_on_rank(model, plan).query * static_cast<double>(model.qk_dim());
  return tokens_per_micro_batch(plan) * width * activation_element_bytes(plan.precision);
}

double key_value_bytes(const Model& model, const Plan& plan) {
  const double width = heads_on_rank(model, plan).kv * static_cast<double>(model.qk_dim() + model.v_dim());
  return tokens_per_micro_batch(plan) * width * activation_element_bytes(plan.precision);
}

double norm_and_residual_passes(const Model& model, bool is_backward) {
  if (is_backward) return model.dropout ? 8.5 : 7.5;
  return model.dropout ? 5.5 : 5.0;
}

double activation_passes(const Model& model, bool is_backward) {
  if (!is_backward) return model.gated_mlp ? 5.0 : 2.0;
  if (model.gated_mlp) return 8.0;
  return model.dropout ? 3.0 : 3.2;
}

MemoryBound elementwise(double bytes, double kernels, const KernelPolicy& policy) {
  return {bytes * policy.elementwise_pass_factor, kernels * policy.elementwise_pass_factor, false};
}

}  // namespace trainsim
