// The network to train: a decoder (or encoder) transformer's shapes, its exact parameter count and its FLOPs.
//
// A layer is attention (q, k, v, output) and an MLP (two matrices, or three when gated), each behind a norm. `tensor`
// ranks split matrices by heads and by inner width (Megatron, arXiv 1909.08053): each holds 1/tensor of them, while
// norms, position tables and the biases added after a reduction are held whole by every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trainsim {

enum class PositionKind : std::uint8_t { rope, learned, none, alibi };
enum class AttentionKind : std::uint8_t { causal, bidirectional };
enum class NormKind : std::uint8_t { layer_norm, rms_norm };

struct Model {
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden_size = 0;
  std::int64_t ffn_hidden_size = 0;
  std::int64_t attention_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_positions = 0;  // rows of a learned position table; 0 when not learned
  bool gated_mlp = false;
  bool tied_embeddings = false;
  bool biases = false;      // on linear layers (GPT yes, Llama no)
  bool qkv_biases = false;  // on q, k, v only (Qwen2)
  NormKind norm = NormKind::rms_norm;
  PositionKind position = PositionKind::rope;
  AttentionKind attention = AttentionKind::causal;
  bool dropout = false;  // trained with dropout on attention, residuals and embedding (GPT-3, BERT)
  // BERT (arXiv 1810.04805). `embedding_norm` stands in for the final norm of a decoder.
  std::int64_t token_types = 0;  // rows of the token-type table
  bool embedding_norm = false;
  bool pretraining_heads = false;  // pooler, next-sentence classifier, masked-word transform with its norm and bias
};

// All trainable parameters, embedding and head included; a tied embedding counts once.
double parameter_count(const Model& model);

// What one of `tensor` ranks holds of one layer; of the embedding (word, position and token-type tables); of final
// norm, head (0 when tied) and pretraining heads. With tensor = 1 these add up to parameter_count.
double layer_parameters(const Model& model, std::int64_t tensor = 1);
double embedding_parameters(const Model& model, std::int64_t tensor = 1);
double head_parameters(const Model& model, std::int64_t tensor = 1);
// The matrix between hidden state and vocabulary, whether shared with the embedding or not. A vocabulary that does not
// divide is padded up.
double vocabulary_parameters(const Model& model, std::int64_t tensor = 1);
// Key and value heads on one of `tensor` ranks: where they are fewer than the ranks, they are repeated.
std::int64_t kv_heads_per_rank(const Model& model, std::int64_t tensor);

// Forward and backward FLOPs per token without recomputation: matrix products and attention, a causal score counted
// half (docs/result.md). Backward counts twice forward. For a GPT of l layers and hidden size h this is
// 72 l h^2 (1 + s/(12 h) + V/(12 l h)): arXiv 2104.04473, equation 3, less recomputation and half of its attention
// term. The head works on every position; the pooler, on one token per sequence, is left out.
double model_flops_per_token(const Model& model, std::int64_t sequence_length);

}  // namespace trainsim
