#include "workloads/linear_layers.hpp"

namespace trainsim {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Widths of one rank's query and key (or value) heads.
double query_width(const Model& model, std::int64_t tensor) {
  return as_double(model.attention_heads * model.head_dim) / as_double(tensor);
}

double kv_width(const Model& model, std::int64_t tensor) {
  return as_double(kv_heads_per_rank(model, tensor) * model.head_dim);
}

// Down-projections are held whole by every rank; one product makes compressed keys, values and the shared rotary key.
std::vector<LinearLayer> latent_inputs(const Model& model, std::int64_t tensor) {
  const LatentAttention& latent = *model.latent;
  const double hidden = as_double(model.hidden_size);
  const double heads = as_double(model.attention_heads) / as_double(tensor);
  const double kv_rank = as_double(latent.kv_lora_rank);
  std::vector<LinearLayer> layers;
  const double query_inputs = latent.q_lora_rank > 0 ? as_double(latent.q_lora_rank) : hidden;
  if (latent.q_lora_rank > 0) layers.push_back({query_inputs, hidden});
  layers.push_back({heads * as_double(model.qk_dim()), query_inputs});
  layers.push_back({kv_rank + as_double(latent.qk_rope_head_dim), hidden});
  layers.push_back({heads * as_double(latent.qk_nope_head_dim + latent.v_head_dim), kv_rank});
  return layers;
}

}  // namespace

AttentionMatrices attention_matrices(const Model& model, std::int64_t tensor) {
  const double hidden = as_double(model.hidden_size);
  const double attended = as_double(model.attention_heads * model.v_dim()) / as_double(tensor);
  AttentionMatrices matrices;
  matrices.output = {hidden, attended};
  if (model.latent) {
    matrices.inputs = latent_inputs(model, tensor);
  } else {
    matrices.inputs = {{query_width(model, tensor) + 2 * kv_width(model, tensor), hidden}};
  }
  return matrices;
}

MlpMatrices mlp_matrices(const Model& model, double columns) {
  const double hidden = as_double(model.hidden_size);
  return {{(model.gated_mlp ? 2 : 1) * columns, hidden}, {hidden, columns}};
}

AdaptedLayers adapted_layers(const Model& model, std::int64_t tensor) {
  AdaptedLayers adapted;
  if (!model.lora) return adapted;
  const Lora& lora = *model.lora;
  const AttentionMatrices attention = attention_matrices(model, tensor);
  const double hidden = as_double(model.hidden_size);
  if (lora.qkv) adapted.attention_inputs.push_back(attention.inputs.front());
  if (lora.q) adapted.attention_inputs.push_back({query_width(model, tensor), hidden});
  if (lora.k) adapted.attention_inputs.push_back({kv_width(model, tensor), hidden});
  if (lora.v) adapted.attention_inputs.push_back({kv_width(model, tensor), hidden});
  if (lora.o) adapted.attention_output.push_back(attention.output);
  if (lora.mlp) {
    const MlpMatrices mlp = mlp_matrices(model, as_double(model.ffn_hidden_size) / as_double(tensor));
    adapted.mlp_up.push_back(mlp.up);
    adapted.mlp_down.push_back(mlp.down);
  }
  return adapted;
}

}  // namespace trainsim
