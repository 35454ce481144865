#include "workloads/model.hpp"

#include <algorithm>
#include <cassert>

namespace trainsim {
namespace {

// Every weight matrix of a layer, in parameters on one rank; biases and norms are not among them.
double layer_matrix_parameters(const Model& model, std::int64_t tensor) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const auto ranks = static_cast<double>(tensor);
  const double query_width = static_cast<double>(model.attention_heads * model.head_dim) / ranks;
  const auto kv_width = static_cast<double>(kv_heads_per_rank(model, tensor) * model.head_dim);
  const double ffn_width = static_cast<double>(model.ffn_hidden_size) / ranks;
  const double mlp_matrices = model.gated_mlp ? 3 : 2;
  return hidden * (2 * query_width + 2 * kv_width) + mlp_matrices * hidden * ffn_width;
}

double layer_bias_parameters(const Model& model, std::int64_t tensor) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const auto ranks = static_cast<double>(tensor);
  double count = 0;
  if (model.biases || model.qkv_biases) {
    count += static_cast<double>(model.attention_heads * model.head_dim) / ranks;
    count += 2 * static_cast<double>(kv_heads_per_rank(model, tensor) * model.head_dim);
  }
  if (model.biases) {
    count += (model.gated_mlp ? 2 : 1) * static_cast<double>(model.ffn_hidden_size) / ranks;
    count += 2 * hidden;  // of the attention and MLP outputs, added after the reduction over tensor ranks
  }
  return count;
}

double norm_parameters(const Model& model) {
  const bool has_shift = model.norm == NormKind::layer_norm && model.biases;
  return (has_shift ? 2 : 1) * static_cast<double>(model.hidden_size);
}

}  // namespace

std::int64_t kv_heads_per_rank(const Model& model, std::int64_t tensor) {
  assert(tensor >= 1);
  return (model.kv_heads + tensor - 1) / tensor;
}

double vocabulary_parameters(const Model& model, std::int64_t tensor) {
  assert(tensor >= 1);
  const std::int64_t rows = (model.vocab_size + tensor - 1) / tensor;
  return static_cast<double>(rows) * static_cast<double>(model.hidden_size);
}

double layer_parameters(const Model& model, std::int64_t tensor) {
  return layer_matrix_parameters(model, tensor) + layer_bias_parameters(model, tensor) + 2 * norm_parameters(model);
}

double embedding_parameters(const Model& model, std::int64_t tensor) {
  double count = vocabulary_parameters(model, tensor);
  const auto hidden = static_cast<double>(model.hidden_size);
  if (model.position == PositionKind::learned) count += static_cast<double>(model.max_positions) * hidden;
  count += static_cast<double>(model.token_types) * hidden;
  if (model.embedding_norm) count += norm_parameters(model);
  return count;
}

double head_parameters(const Model& model, std::int64_t tensor) {
  const auto hidden = static_cast<double>(model.hidden_size);
  double count = model.tied_embeddings ? 0 : vocabulary_parameters(model, tensor);
  if (!model.embedding_norm) count += norm_parameters(model);
  if (model.pretraining_heads) {
    const double dense = hidden * hidden + hidden;
    const double masked_word = dense + norm_parameters(model) + vocabulary_parameters(model, tensor) / hidden;
    const double next_sentence = dense + 2 * hidden + 2;
    count += masked_word + next_sentence;
  }
  return count;
}

double parameter_count(const Model& model) {
  return static_cast<double>(model.layers) * layer_parameters(model) + embedding_parameters(model) +
         head_parameters(model);
}

double model_flops_per_token(const Model& model, std::int64_t sequence_length) {
  const auto hidden = static_cast<double>(model.hidden_size);
  const auto width = static_cast<double>(model.attention_heads * model.head_dim);
  const double attended = static_cast<double>(sequence_length) / (model.attention == AttentionKind::causal ? 2 : 1);
  // A product with a matrix of n parameters is 2n FLOPs per token; scores and their product with values, 2 x width each
  // per token attended to.
  const double layer = 2 * layer_matrix_parameters(model, 1) + 4 * width * attended;
  double head = 2 * vocabulary_parameters(model);
  if (model.pretraining_heads) head += 2 * hidden * hidden;
  const double forward = static_cast<double>(model.layers) * layer + head;
  return 3 * forward;
}

}  // namespace trainsim
