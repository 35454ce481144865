// The network to train: a decoder (or encoder) transformer's shapes, its exact parameter count and its FLOPs.
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
  bool biases = false;             // on linear layers (GPT yes, Llama no)
  bool qkv_biases = false;         // on q, k, v only (Qwen2)
  NormKind norm = NormKind::rms_norm;
  PositionKind position = PositionKind::rope;
  AttentionKind attention = AttentionKind::causal;
};

// All trainable parameters, embedding and head included.
double parameter_count(const Model& model);
// Parameters of one layer, of the embedding (with learned positions), and of final norm plus head (0 when tied).
double layer_parameters(const Model& model);
double embedding_parameters(const Model& model);
double head_parameters(const Model& model);

// Forward and backward FLOPs per token without recomputation: matrix products and attention, a causal score counted
// half (formats/results.md). Backward counts twice forward.
double model_flops_per_token(const Model& model, std::int64_t sequence_length);

}  // namespace trainsim
