#include "workloads/read_hf_config.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/read_blocks.hpp"

namespace trainsim {
namespace {

constexpr IntegerRange kWidth{1, kMaxWidth};

// JSON's null means that the key's default holds.
bool has_value(MapReader& map, std::string_view key) {
  const Node* node = map.node(key);
  return node != nullptr && node->kind != Node::Kind::null;
}

std::int64_t required(MapReader& map, std::string_view key, IntegerRange range = kWidth) {
  map.require(key);
  return map.integer(key, range).value_or(range.low);
}

std::int64_t optional(MapReader& map, std::string_view key, std::int64_t by_default, IntegerRange range = kWidth) {
  return has_value(map, key) ? map.integer(key, range).value_or(by_default) : by_default;
}

bool flag(MapReader& map, std::string_view key, bool by_default) {
  return has_value(map, key) ? map.boolean(key).value_or(by_default) : by_default;
}

bool is_positive(MapReader& map, std::string_view key, double by_default) {
  return (has_value(map, key) ? map.number(key).value_or(by_default) : by_default) > 0;
}

std::int64_t head_dim_of(MapReader& map, std::string_view heads_key, const Model& model) {
  if (model.hidden_size % model.attention_heads != 0) {
    map.fault(heads_key,
              std::to_string(model.attention_heads) + " heads do not divide a hidden size of " +
                  std::to_string(model.hidden_size),
              "a divisor of it, or a head_dim");
  }
  return std::max<std::int64_t>(1, model.hidden_size / model.attention_heads);
}

// The names that all but GPT-2 and MPT share.
void read_shapes(MapReader& map, Model& model) {
  model.layers = required(map, "num_hidden_layers", {1, kMaxLayers});
  model.hidden_size = required(map, "hidden_size");
  model.attention_heads = required(map, "num_attention_heads");
  model.vocab_size = required(map, "vocab_size", {1, kMaxRows});
  model.ffn_hidden_size = required(map, "intermediate_size");
  model.kv_heads = optional(map, "num_key_value_heads", model.attention_heads);
  if (model.attention_heads % model.kv_heads != 0) {
    map.fault(
        "num_key_value_heads",
        std::to_string(model.kv_heads) + " do not divide " + std::to_string(model.attention_heads) + " attention heads",
        "a divisor of num_attention_heads");
  }
  model.tied_embeddings = flag(map, "tie_word_embeddings", false);
}

void read_head_dim(MapReader& map, Model& model) {
  model.head_dim =
      has_value(map, "head_dim") ? required(map, "head_dim") : head_dim_of(map, "num_attention_heads", model);
}

// n where the first of every n layers is windowed; 0 where none is, or, with a fault, where another pattern is.
std::int64_t window_period(MapReader& map, const Node& layer_types) {
  std::vector<std::size_t> windowed;
  const std::size_t count = layer_types.items.size();
  for (std::size_t layer = 0; layer < count; ++layer) {
    if (layer_types.items[layer].scalar == "sliding_attention") windowed.push_back(layer);
  }
  if (windowed.empty()) return 0;
  const std::size_t period = windowed.size() > 1 ? windowed[1] - windowed[0] : count;
  bool is_regular = windowed.back() + period >= count;
  for (std::size_t i = 0; i < windowed.size(); ++i) is_regular = is_regular && windowed[i] == i * period;
  if (is_regular) return static_cast<std::int64_t>(period);
  map.fault("layer_types", "this pattern of windowed layers is not supported yet",
            "sliding_attention in the first of every n layers");
  return 0;
}

void read_window(MapReader& map, Model& model, std::int64_t default_period, bool is_used_by_default) {
  const std::int64_t window = optional(map, "sliding_window", 0, {0, kMaxRows});
  if (window == 0 || !flag(map, "use_sliding_window", is_used_by_default)) return;
  std::int64_t period = default_period;
  if (has_value(map, "layer_types")) period = window_period(map, *map.node("layer_types"));
  if (period == 0) return;
  model.window = window;
  model.window_every_n_layers = period;
}

// Llama and what follows it: gated, RMS norms, rotary positions.
void read_llama(MapReader& map, Model& model) {
  read_shapes(map, model);
  read_head_dim(map, model);
  model.gated_mlp = true;
  model.biases = flag(map, "attention_bias", false) && flag(map, "mlp_bias", false);
}

void read_mistral(MapReader& map, Model& model) {
  read_llama(map, model);
  read_window(map, model, 1, true);
}

void read_qwen(MapReader& map, Model& model) {
  read_llama(map, model);
  read_window(map, model, 1, false);
}

void check_top_k(MapReader& map, const Experts& experts, std::string_view key) {
  if (experts.top_k <= experts.experts) return;
  map.fault(key, "a token cannot visit " + std::to_string(experts.top_k) + " of " + std::to_string(experts.experts) +
                     " experts");
}

void read_mixtral(MapReader& map, Model& model) {
  read_mistral(map, model);
  Experts experts;
  experts.experts = required(map, "num_local_experts");
  experts.top_k = required(map, "num_experts_per_tok");
  check_top_k(map, experts, "num_experts_per_tok");
  experts.ffn_hidden_size = model.ffn_hidden_size;
  model.experts = experts;
}

void read_gpt_oss(MapReader& map, Model& model) {
  read_mixtral(map, model);
  model.biases = true;
  if (model.window > 0 && !has_value(map, "layer_types")) model.window_every_n_layers = 2;
}

void read_qwen3_moe(MapReader& map, Model& model) {
  read_qwen(map, model);
  Experts experts;
  experts.experts = required(map, "num_experts");
  experts.top_k = required(map, "num_experts_per_tok");
  check_top_k(map, experts, "num_experts_per_tok");
  experts.ffn_hidden_size = required(map, "moe_intermediate_size");
  experts.every_n_layers = optional(map, "decoder_sparse_step", 1, {1, kMaxLayers});
  if (has_value(map, "mlp_only_layers") && !map.node("mlp_only_layers")->items.empty()) {
    map.fault("mlp_only_layers", "layers picked one by one are not supported yet", "an empty list");
  }
  model.experts = experts;
}

void read_deepseek(MapReader& map, Model& model) {
  read_shapes(map, model);
  model.gated_mlp = true;
  model.latent = LatentAttention{.q_lora_rank = optional(map, "q_lora_rank", 0, {0, kMaxWidth}),
                                 .kv_lora_rank = required(map, "kv_lora_rank"),
                                 .qk_nope_head_dim = required(map, "qk_nope_head_dim"),
                                 .qk_rope_head_dim = required(map, "qk_rope_head_dim"),
                                 .v_head_dim = required(map, "v_head_dim")};
  model.kv_heads = model.attention_heads;
  model.head_dim = model.qk_dim();
  if (!has_value(map, "n_routed_experts")) return;
  Experts experts;
  experts.experts = required(map, "n_routed_experts");
  experts.top_k = required(map, "num_experts_per_tok");
  check_top_k(map, experts, "num_experts_per_tok");
  experts.ffn_hidden_size = required(map, "moe_intermediate_size");
  experts.shared_experts = optional(map, "n_shared_experts", 0, {0, kMaxWidth});
  experts.first_dense_layers = optional(map, "first_k_dense_replace", 0, {0, model.layers - 1});
  if (optional(map, "moe_layer_freq", 1) != 1) map.fault("moe_layer_freq", "not supported yet above 1", "1");
  model.experts = experts;
}

void read_gpt2(MapReader& map, Model& model) {
  model.layers = required(map, "n_layer", {1, kMaxLayers});
  model.hidden_size = required(map, "n_embd");
  model.attention_heads = model.kv_heads = required(map, "n_head");
  model.head_dim = head_dim_of(map, "n_head", model);
  model.vocab_size = required(map, "vocab_size", {1, kMaxRows});
  model.ffn_hidden_size = optional(map, "n_inner", 4 * model.hidden_size);
  model.position = PositionKind::learned;
  model.max_positions = required(map, "n_positions", {1, kMaxRows});
  model.tied_embeddings = flag(map, "tie_word_embeddings", true);
  model.norm = NormKind::layer_norm;
  model.biases = true;
  constexpr double kDefaultDropout = 0.1;
  for (const char* key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) {
    model.dropout = is_positive(map, key, kDefaultDropout) || model.dropout;
  }
}

void read_gpt_neox(MapReader& map, Model& model) {
  read_shapes(map, model);
  read_head_dim(map, model);
  model.norm = NormKind::layer_norm;
  model.biases = flag(map, "attention_bias", true);
  for (const char* key : {"hidden_dropout", "attention_dropout"}) {
    model.dropout = is_positive(map, key, 0) || model.dropout;
  }
}

// Key-value heads and positions of MPT's attn_config, whose keys may be missing.
void read_mpt_attention(const Node& node, ReadContext& context, Model& model) {
  MapReader map(node, "attn_config", context);
  const bool has_alibi = flag(map, "alibi", true);
  model.position = has_alibi ? PositionKind::alibi : PositionKind::learned;
  const std::string kind = has_value(map, "attn_type") ? map.text("attn_type").value_or("") : "multihead_attention";
  if (kind == "multiquery_attention") model.kv_heads = 1;
  if (kind == "grouped_query_attention") model.kv_heads = required(map, "kv_n_heads");
}

void read_mpt(MapReader& map, Model& model) {
  model.layers = required(map, "n_layers", {1, kMaxLayers});
  model.hidden_size = required(map, "d_model");
  model.attention_heads = model.kv_heads = required(map, "n_heads");
  model.head_dim = head_dim_of(map, "n_heads", model);
  model.vocab_size = required(map, "vocab_size", {1, kMaxRows});
  constexpr std::int64_t kMaxRatio = 64;
  model.ffn_hidden_size = optional(map, "expansion_ratio", 4, {1, kMaxRatio}) * model.hidden_size;
  model.position = PositionKind::alibi;
  if (has_value(map, "attn_config")) read_mpt_attention(*map.node("attn_config"), map.context(), model);
  if (model.position == PositionKind::learned) model.max_positions = required(map, "max_seq_len", {1, kMaxRows});
  model.tied_embeddings = flag(map, "tie_word_embeddings", true);
  model.norm = NormKind::layer_norm;
  model.biases = !flag(map, "no_bias", true);
}

struct Architecture {
  const char* model_type;
  void (*read)(MapReader& map, Model& model);
};

constexpr Architecture kArchitectures[] = {{"llama", read_llama},          {"mistral", read_mistral},
                                           {"mixtral", read_mixtral},      {"qwen2", read_qwen},
                                           {"qwen3", read_qwen},           {"qwen3_moe", read_qwen3_moe},
                                           {"deepseek_v2", read_deepseek}, {"deepseek_v3", read_deepseek},
                                           {"gpt_oss", read_gpt_oss},      {"gpt2", read_gpt2},
                                           {"gpt_neox", read_gpt_neox},    {"mpt", read_mpt}};

}  // namespace

std::vector<std::string> hf_model_types() {
  std::vector<std::string> types;
  for (const Architecture& architecture : kArchitectures) types.emplace_back(architecture.model_type);
  return types;
}

Model read_hf_config(const Node& root, ReadContext& context) {
  Model model;
  MapReader map(root, "", context);
  map.require("model_type");
  const auto type = map.choice("model_type", hf_model_types());
  for (const Architecture& architecture : kArchitectures) {
    if (type == architecture.model_type) architecture.read(map, model);
  }
  return model;
}

}  // namespace trainsim
