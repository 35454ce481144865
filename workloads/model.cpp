#include "workloads/model.hpp"

#include <algorithm>
#include <cassert>

#include "workloads/linear_layers.hpp"

namespace trainsim {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

double norm_parameters(const Model& model) {
  const bool has_shift = model.norm == NormKind::layer_norm && model.biases;
  return (has_shift ? 2 : 1) * as_double(model.hidden_size);
}

// Attention's on one rank; those of its output are added after the reduction over tensor ranks.
double attention_bias_parameters(const Model& model, std::int64_t tensor) {
  if (!model.biases) return 0;
  const double queries = as_double(model.attention_heads * model.head_dim) / as_double(tensor);
  const double keys_and_values = 2 * as_double(kv_heads_per_rank(model, tensor) * model.head_dim);
  return queries + keys_and_values + as_double(model.hidden_size);
}

double mlp_bias_parameters(const Model& model, double columns) {
  if (!model.biases) return 0;
  return (model.gated_mlp ? 2 : 1) * columns + as_double(model.hidden_size);
}

// Norms of the compressed queries, keys and values.
double latent_norm_parameters(const Model& model) {
  return model.latent ? as_double(model.latent->q_lora_rank + model.latent->kv_lora_rank) : 0;
}

double parameters_of(const LinearLayer& layer) { return layer.outputs * layer.inputs; }

double parameters_of(const AttentionMatrices& matrices) {
  double count = parameters_of(matrices.output);
  for (const LinearLayer& layer : matrices.inputs) count += parameters_of(layer);
  return count;
}

double parameters_of(const MlpMatrices& matrices) { return parameters_of(matrices.up) + parameters_of(matrices.down); }

// Two thin matrices beside each adapted one.
double adapter_parameters(const Model& model, const std::vector<LinearLayer>& adapted) {
  double count = 0;
  for (const LinearLayer& layer : adapted) count += as_double(model.lora->rank) * (layer.outputs + layer.inputs);
  return count;
}

// Frozen where only adapters are trained, which `adapters` counts.
Parameters with_adapters(const Model& model, double base, double adapters) {
  return model.lora ? Parameters{.dense = adapters, .frozen = base} : Parameters{.dense = base};
}

Parameters attention_parameters(const Model& model, std::int64_t tensor) {
  const double others =
      attention_bias_parameters(model, tensor) + latent_norm_parameters(model) + norm_parameters(model);
  const AdaptedLayers adapted = adapted_layers(model, tensor);
  return with_adapters(
      model, parameters_of(attention_matrices(model, tensor)) + others,
      adapter_parameters(model, adapted.attention_inputs) + adapter_parameters(model, adapted.attention_output));
}

Parameters mlp_parameters(const Model& model, std::int64_t tensor) {
  const double columns = as_double(model.ffn_hidden_size) / as_double(tensor);
  const double others = mlp_bias_parameters(model, columns) + norm_parameters(model);
  const AdaptedLayers adapted = adapted_layers(model, tensor);
  return with_adapters(model, parameters_of(mlp_matrices(model, columns)) + others,
                       adapter_parameters(model, adapted.mlp_up) + adapter_parameters(model, adapted.mlp_down));
}

// Of one expert, split over `ranks`.
double one_expert_parameters(const Model& model, double width, std::int64_t ranks) {
  const double columns = width / as_double(ranks);
  return parameters_of(mlp_matrices(model, columns)) + mlp_bias_parameters(model, columns);
}

Parameters expert_parameters(const Model& model, const WeightSplit& split) {
  const Experts& experts = *model.experts;
  const double held = as_double(experts.experts) / as_double(split.expert);
  const double router = as_double(experts.experts * model.hidden_size);
  Parameters result;
  result.expert = held * one_expert_parameters(model, as_double(experts.ffn_hidden_size), split.expert_tensor);
  result.dense = router + norm_parameters(model);
  if (experts.shared_experts > 0) {
    const double width = as_double(experts.shared_experts * experts.ffn_hidden_size);
    result.dense += one_expert_parameters(model, width, split.tensor);
  }
  return result;
}

// Of the matrices that one token goes through in a layer.
double active_matrix_parameters(const Model& model, LayerKind kind) {
  double count = parameters_of(attention_matrices(model, 1));
  if (!kind.has_experts) return count + parameters_of(mlp_matrices(model, as_double(model.ffn_hidden_size)));
  const Experts& experts = *model.experts;
  const double visited = as_double(experts.top_k + experts.shared_experts);
  count += as_double(experts.experts * model.hidden_size);
  return count + visited * parameters_of(mlp_matrices(model, as_double(experts.ffn_hidden_size)));
}

}  // namespace

Parameters& Parameters::operator+=(const Parameters& more) {
  dense += more.dense;
  expert += more.expert;
  frozen += more.frozen;
  return *this;
}

LayerKind layer_kind(const Model& model, std::int64_t layer) {
  LayerKind kind;
  if (model.experts && layer >= model.experts->first_dense_layers) {
    kind.has_experts = (layer - model.experts->first_dense_layers + 1) % model.experts->every_n_layers == 0;
  }
  kind.is_windowed = model.window > 0 && layer % model.window_every_n_layers == 0;
  return kind;
}

std::int64_t kv_heads_per_rank(const Model& model, std::int64_t tensor) {
  assert(tensor >= 1);
  return (model.kv_heads + tensor - 1) / tensor;
}

double vocabulary_parameters(const Model& model, std::int64_t tensor) {
  assert(tensor >= 1);
  const std::int64_t rows = (model.vocab_size + tensor - 1) / tensor;
  return as_double(rows) * as_double(model.hidden_size);
}

Parameters layer_parameters(const Model& model, LayerKind kind, const WeightSplit& split) {
  return attention_parameters(model, split.tensor) +
         (kind.has_experts ? expert_parameters(model, split) : mlp_parameters(model, split.tensor));
}

Parameters embedding_parameters(const Model& model, std::int64_t tensor) {
  double count = vocabulary_parameters(model, tensor);
  const double hidden = as_double(model.hidden_size);
  if (model.position == PositionKind::learned) count += as_double(model.max_positions) * hidden;
  count += as_double(model.token_types) * hidden;
  if (model.embedding_norm) count += norm_parameters(model);
  return with_adapters(model, count, 0);
}

Parameters head_parameters(const Model& model, std::int64_t tensor) {
  const double hidden = as_double(model.hidden_size);
  double count = model.tied_embeddings ? 0 : vocabulary_parameters(model, tensor);
  if (!model.embedding_norm) count += norm_parameters(model);
  if (model.pretraining_heads) {
    const double dense = hidden * hidden + hidden;
    const double masked_word = dense + norm_parameters(model) + vocabulary_parameters(model, tensor) / hidden;
    const double next_sentence = dense + 2 * hidden + 2;
    count += masked_word + next_sentence;
  }
  return with_adapters(model, count, 0);
}

Parameters model_parameters(const Model& model) {
  Parameters sum = embedding_parameters(model) + head_parameters(model);
  for (std::int64_t layer = 0; layer < model.layers; ++layer) sum += layer_parameters(model, layer_kind(model, layer));
  return sum;
}

double parameter_count(const Model& model) {
  const Parameters all = model_parameters(model);
  // Adapters are no part of the model.
  return all.total() - (model.lora ? all.trained() : 0);
}

double trained_parameter_count(const Model& model) { return model_parameters(model).trained(); }

double active_parameter_count(const Model& model) {
  double count = parameter_count(model);
  if (!model.experts) return count;
  const Experts& experts = *model.experts;
  const double idle =
      as_double(experts.experts - experts.top_k) * one_expert_parameters(model, as_double(experts.ffn_hidden_size), 1);
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    if (layer_kind(model, layer).has_experts) count -= idle;
  }
  return count;
}

double attended_keys(const Model& model, LayerKind kind, std::int64_t sequence_length) {
  const double length = as_double(sequence_length);
  const double seen = kind.is_windowed ? std::min(length, as_double(model.window)) : length;
  if (model.attention == AttentionKind::bidirectional) return seen;
  return seen - seen * seen / (2 * length);
}

double model_flops_per_token(const Model& model, std::int64_t sequence_length) {
  const double hidden = as_double(model.hidden_size);
  const double heads = as_double(model.attention_heads);
  // A product with a matrix of n parameters is 2n FLOPs per token; scores are 2 FLOPs per token attended to and element
  // of a key, their product with the values 2 per element of a value.
  double matrices = 0;
  double attention = 0;
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    const LayerKind kind = layer_kind(model, layer);
    matrices += 2 * active_matrix_parameters(model, kind);
    attention += 2 * heads * as_double(model.qk_dim() + model.v_dim()) * attended_keys(model, kind, sequence_length);
  }
  matrices += 2 * vocabulary_parameters(model);
  if (model.pretraining_heads) matrices += 2 * hidden * hidden;
  const double passes_through_matrices = model.lora ? 2 : 3;
  const double adapters = model.lora ? 3 * 2 * trained_parameter_count(model) : 0;
  return passes_through_matrices * matrices + 3 * attention + adapters;
}

}  // namespace trainsim
