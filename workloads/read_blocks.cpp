#include "workloads/read_blocks.hpp"

#include <algorithm>
#include <string>

namespace trainsim {
namespace {

constexpr std::int64_t kMaxExperts = std::int64_t{1} << 16;

// A list with one load per expert. A load of zero is an expert that no token visits.
void read_loads(MapReader& map, const Node& list, Experts& experts) {
  std::vector<double> loads;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::string path = map.path_of("skew") + '.' + std::to_string(i);
    if (const auto load = read_number(list.items[i], path, map.context(), {.high = 1e9})) loads.push_back(*load);
  }
  if (loads.size() != list.items.size()) return;
  if (static_cast<std::int64_t>(loads.size()) != experts.experts) {
    map.fault(
        "skew",
        std::to_string(loads.size()) + " loads, but the model has " + std::to_string(experts.experts) + " experts",
        "a load for each expert, or the exponent of a power law");
  } else if (std::all_of(loads.begin(), loads.end(), [](double load) { return load == 0; })) {
    map.fault("skew", "no expert has any load", "a positive load for at least one expert");
  } else {
    experts.loads = loads;
  }
}

void read_skew(MapReader& map, Experts& experts) {
  const Node* node = map.node("skew");
  if (node == nullptr) return;
  if (node->kind == Node::Kind::sequence) {
    read_loads(map, *node, experts);
  } else {
    experts.power_law = map.number("skew", {.high = 100}).value_or(0);
  }
}

// Which layers have experts.
void read_expert_layers(MapReader& map, std::int64_t layers, Experts& experts) {
  experts.every_n_layers = map.integer("every_n_layers", {1, kMaxLayers}).value_or(1);
  experts.first_dense_layers = map.integer("first_dense_layers", {0, kMaxLayers}).value_or(0);
  if (layers == 0) return;  // its own fault is known
  const std::string of_the_model = " of the model's " + std::to_string(layers) + " layers are left for experts";
  if (experts.first_dense_layers >= layers) {
    map.fault("first_dense_layers", "none" + of_the_model, "at most " + std::to_string(layers - 1));
  } else if (experts.every_n_layers > layers - experts.first_dense_layers) {
    map.fault("every_n_layers", "none" + of_the_model,
              "at most " + std::to_string(layers - experts.first_dense_layers));
  }
}

}  // namespace

void read_attention_kind(MapReader& transformer, Model& model) {
  const Node* node = transformer.node("attention");
  if (node == nullptr) return;
  const std::string path = transformer.path_of("attention");
  if (node->kind == Node::Kind::map) {
    MapReader map(*node, path, transformer.context());
    map.require("window");
    model.window = map.integer("window", {1, kMaxRows}).value_or(0);
    model.window_every_n_layers = map.integer("every_n_layers", {1, kMaxLayers}).value_or(1);
    map.finish();
    return;
  }
  const auto kind = read_choice(*node, path, transformer.context(), {"causal", "bidirectional"});
  model.attention = kind == "bidirectional" ? AttentionKind::bidirectional : AttentionKind::causal;
}

void read_experts(MapReader& transformer, Model& model) {
  const Node* node = transformer.node("moe");
  if (node == nullptr) return;
  MapReader map(*node, transformer.path_of("moe"), transformer.context());
  Experts experts;
  for (const char* key : {"experts", "top_k"}) map.require(key);
  experts.experts = map.integer("experts", {1, kMaxExperts}).value_or(0);
  experts.top_k = map.integer("top_k", {1, kMaxExperts}).value_or(1);
  if (experts.experts > 0 && experts.top_k > experts.experts) {
    map.fault(
        "top_k",
        "a token cannot visit " + std::to_string(experts.top_k) + " of " + std::to_string(experts.experts) + " experts",
        "at most " + std::to_string(experts.experts));
  }
  experts.ffn_hidden_size = map.integer("expert_ffn_hidden_size", {1, kMaxWidth}).value_or(model.ffn_hidden_size);
  experts.shared_experts = map.integer("shared_experts", {0, kMaxExperts}).value_or(0);
  experts.capacity_factor = map.number("capacity_factor", {.high = 1e6, .low_is_open = true});
  read_expert_layers(map, model.layers, experts);
  if (experts.experts > 0) {
    read_skew(map, experts);
  } else {
    map.node("skew");  // says nothing while the number of experts is unknown
  }
  map.finish();
  model.experts = experts;
}

void read_latent_attention(MapReader& transformer, Model& model) {
  const Node* node = transformer.node("mla");
  if (node == nullptr) return;
  MapReader map(*node, transformer.path_of("mla"), transformer.context());
  LatentAttention latent;
  const auto width = [&map](std::string_view key, std::int64_t least) {
    if (least > 0) map.require(key);
    return map.integer(key, {least, kMaxWidth}).value_or(least);
  };
  latent.q_lora_rank = width("q_lora_rank", 0);
  latent.kv_lora_rank = width("kv_lora_rank", 1);
  latent.qk_nope_head_dim = width("qk_nope_head_dim", 1);
  latent.qk_rope_head_dim = width("qk_rope_head_dim", 1);
  latent.v_head_dim = width("v_head_dim", 1);
  map.finish();
  model.latent = latent;
  model.kv_heads = model.attention_heads;
  model.head_dim = model.qk_dim();
  if (model.biases && transformer.has("biases")) {
    transformer.fault("biases", "biases with latent attention are not supported yet", "false");
  }
  model.biases = false;
}

}  // namespace trainsim
