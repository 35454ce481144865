#include "workloads/transformer_layer.hpp"

namespace trainsim {

BlockKernels mlp_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const double tokens = tokens_per_micro_batch(plan);
  const double columns = static_cast<double>(model.ffn_hidden_size) / static_cast<double>(plan.tensor);
  const MlpMatrices matrices = mlp_matrices(model, columns);
  const AdaptedLayers adapted = adapted_layers(model, plan.tensor);
  const Products up(model, plan, tokens, {matrices.up}, adapted.mlp_up);
  const Products down(model, plan, tokens, {matrices.down}, adapted.mlp_down);
  const auto memory = [&](bool is_backward, double kernels, double cast_bytes) {
    const double passes = norm_and_residual_passes(model, is_backward) / sequence_shards(plan) +
                          activation_passes(model, is_backward) * columns / hidden;
    return elementwise(passes * hidden_bytes(model, plan) + cast_bytes, kernels, policy);
  };
  const MemoryBound forward_memory = memory(false, 3, up.input_cast_bytes() + down.input_cast_bytes());

  BlockKernels block;
  block.lead = {forward_memory};
  block.column_product = up.forward();
  block.row_product = down.forward();
  if (!policy.recomputes_attention_only) {
    block.selective = {forward_memory};
    if (model.gated_mlp) append(block.selective, Products(model, plan, tokens, {{columns, hidden}}).forward());
  }
  block.row_data_gradient = down.data_gradient();
  block.backward = {memory(true, 5, up.gradient_cast_bytes() + down.gradient_cast_bytes())};
  append(block.backward, down.weight_gradient());
  block.data_gradient = up.data_gradient();
  block.weight_gradient = up.weight_gradient();
  return block;
}

}  // namespace trainsim
