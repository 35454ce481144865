// The network to train: a transformer's shapes, its exact parameter count and its FLOPs.
//
// A layer is attention and an MLP, each behind a norm. Attention is q, k, v, output (arXiv 1706.03762, grouped-query
// arXiv 2305.13245) or latent (arXiv 2405.04434); the MLP is two matrices, three when gated, or a mixture of experts.
// `tensor` ranks split matrices by heads and by inner width (Megatron, arXiv 1909.08053): each holds 1/tensor of them,
// while norms, position tables, routers, latent down-projections and the biases added after a reduction are held whole
// by every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainsim {

enum class PositionKind : std::uint8_t { rope, learned, none, alibi };
enum class AttentionKind : std::uint8_t { causal, bidirectional };
enum class NormKind : std::uint8_t { layer_norm, rms_norm };

// A mixture of experts in place of the MLP (arXiv 2101.03961), every expert of the same width.
struct Experts {
  std::int64_t experts = 1;
  std::int64_t top_k = 1;  // experts that a token visits
  std::int64_t ffn_hidden_size = 0;
  std::int64_t shared_experts = 0;      // that every token visits (arXiv 2401.06066)
  std::int64_t every_n_layers = 1;      // the last of every n layers has experts
  std::int64_t first_dense_layers = 0;  // these have none
  // Tokens an expert takes at most, relative to a balanced load; none: dropless.
  std::optional<double> capacity_factor = {};
  // Load of each expert relative to the others, or the exponent of a power law over the experts' ranks (load of the
  // i-th ~ 1/i^exponent). Both empty: balanced.
  std::vector<double> loads = {};
  double power_law = 0;
};

// Multi-head latent attention (arXiv 2405.04434, section 2.1).
struct LatentAttention {
  std::int64_t q_lora_rank = 0;  // 0: queries are not compressed
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
};

// Low-rank adapters beside a frozen model (arXiv 2106.09685): each adapted matrix [outputs, inputs] gets
// [outputs, rank] and [rank, inputs], the only ones that are trained.
struct Lora {
  std::int64_t rank = 1;
  bool qkv = false;  // one adapter for all three, as in Megatron; else any of
  bool q = false, k = false, v = false;
  bool o = false;
  bool mlp = false;  // one for the matrices that read the MLP's input, one for the last
};

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
  bool biases = false;  // on linear layers (GPT yes, Llama no)
  NormKind norm = NormKind::rms_norm;
  PositionKind position = PositionKind::rope;
  AttentionKind attention = AttentionKind::causal;
  std::int64_t window = 0;                 // keys that a token attends to at most; 0: all
  std::int64_t window_every_n_layers = 1;  // the first of every n layers is windowed, the others attend to all
  std::optional<Experts> experts;
  std::optional<LatentAttention> latent;
  std::optional<Lora> lora;
  bool dropout = false;  // trained with dropout on attention, residuals and embedding (GPT-3, BERT)
  // BERT (arXiv 1810.04805). `embedding_norm` stands in for the final norm of a decoder.
  std::int64_t token_types = 0;  // rows of the token-type table
  bool embedding_norm = false;
  bool pretraining_heads = false;  // pooler, next-sentence classifier, masked-word transform with its norm and bias

  // Of one head: of queries and keys, and of values.
  [[nodiscard]] std::int64_t qk_dim() const {
    return latent ? latent->qk_nope_head_dim + latent->qk_rope_head_dim : head_dim;
  }
  [[nodiscard]] std::int64_t v_dim() const { return latent ? latent->v_head_dim : head_dim; }
};

// What a layer is made of: published models mix up to four kinds.
struct LayerKind {
  bool has_experts = false;
  bool is_windowed = false;
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};
// `layer` counts from 0 at the embedding.
LayerKind layer_kind(const Model& model, std::int64_t layer);

// Over how many ranks matrices are split: those of attention, dense MLP and vocabulary by `tensor`; an expert's by
// `expert_tensor`, and the experts themselves by `expert`.
struct WeightSplit {
  std::int64_t tensor = 1;
  std::int64_t expert_tensor = 1;
  std::int64_t expert = 1;
};

// Parameters held by one rank, by who trains them.
struct Parameters {
  double dense = 0;   // trained; gradients reduce over data x context ranks
  double expert = 0;  // trained; gradients reduce over the replicas of the rank's experts
  double frozen = 0;  // neither gradients nor optimizer (the base of LoRA)

  [[nodiscard]] double trained() const { return dense + expert; }
  [[nodiscard]] double total() const { return dense + expert + frozen; }
  Parameters& operator+=(const Parameters& more);
  friend Parameters operator+(Parameters a, const Parameters& b) { return a += b; }
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// What one rank holds of a layer; of the embedding (word, position and token-type tables); of final norm, head (0 when
// tied) and pretraining heads. Unsplit, all layers with these add up to the model.
Parameters layer_parameters(const Model& model, LayerKind kind, const WeightSplit& split = {});
Parameters embedding_parameters(const Model& model, std::int64_t tensor = 1);
Parameters head_parameters(const Model& model, std::int64_t tensor = 1);

// All parameters of the model, embedding and head included; a tied embedding counts once. Trained: without LoRA's base.
// Active: those that one token visits, so top_k and the shared ones of the experts.
Parameters model_parameters(const Model& model);  // with the adapters of LoRA
double parameter_count(const Model& model);
double trained_parameter_count(const Model& model);
double active_parameter_count(const Model& model);

// The matrix between hidden state and vocabulary, whether shared with the embedding or not. A vocabulary that does not
// divide is padded up.
double vocabulary_parameters(const Model& model, std::int64_t tensor = 1);
// Key and value heads on one of `tensor` ranks: where they are fewer than the ranks, they are repeated.
std::int64_t kv_heads_per_rank(const Model& model, std::int64_t tensor);

// Keys that a query attends to on average over a sequence: half of it when causal; with a window of w of s tokens,
// w - w^2 / (2 s).
double attended_keys(const Model& model, LayerKind kind, std::int64_t sequence_length);

// Forward and backward FLOPs per token without recomputation: products with the active matrices, and attention over
// attended_keys (docs/result.md). Backward counts twice forward, for LoRA's frozen base once. For a GPT of l layers and
// hidden size h this is 72 l h^2 (1 + s/(12 h) + V/(12 l h)): arXiv 2104.04473, equation 3, less recomputation and half
// of its attention term. The head works on every position; the pooler, on one token per sequence, is left out.
double model_flops_per_token(const Model& model, std::int64_t sequence_length);

}  // namespace trainsim
