#include <string>

#include "workloads/presets.hpp"
#include "workloads/read_blocks.hpp"

namespace trainsim {

namespace {

void read_position(MapReader& map, Model& model) {
  const std::string kind = map.choice("position", {"rope", "learned", "none", "alibi"}).value_or("rope");
  if (kind == "learned") model.position = PositionKind::learned;
  if (kind == "none") model.position = PositionKind::none;
  if (kind == "alibi") model.position = PositionKind::alibi;
  const auto rows = map.integer("max_positions", {1, kMaxRows});
  if (rows && model.position != PositionKind::learned) {
    map.fault("max_positions", "only learned positions have a table", "position: learned");
  }
  model.max_positions = rows.value_or(0);
}

// Norm, biases and dropout as the published models have them: gated ones come from Llama, the others from GPT.
void read_style(MapReader& map, Model& model) {
  const std::string by_default = model.gated_mlp ? "rms_norm" : "layer_norm";
  const std::string norm = map.choice("norm", {"layer_norm", "rms_norm"}).value_or(by_default);
  model.norm = norm == "rms_norm" ? NormKind::rms_norm : NormKind::layer_norm;
  model.biases = map.boolean("biases").value_or(!model.gated_mlp);
  model.dropout = map.boolean("dropout").value_or(false);
}

void read_heads(MapReader& map, Model& model) {
  map.require("attention_heads");
  model.attention_heads = map.integer("attention_heads", {1, kMaxWidth}).value_or(0);
  const auto kv_heads = map.integer("kv_heads", {1, kMaxWidth});
  const auto head_dim = map.integer("head_dim", {1, kMaxWidth});
  if (model.attention_heads == 0) return;

  model.kv_heads = kv_heads.value_or(model.attention_heads);
  if (model.attention_heads % model.kv_heads != 0) {
    map.fault("kv_heads",
              std::to_string(model.kv_heads) + " key-value heads do not divide " +
                  std::to_string(model.attention_heads) + " attention heads",
              "a divisor of attention_heads");
  }
  if (map.has("mla")) return;  // which has its own
  if (head_dim) {
    model.head_dim = *head_dim;
  } else if (model.hidden_size % model.attention_heads == 0) {
    model.head_dim = model.hidden_size / model.attention_heads;
  } else {
    map.fault(
        "attention_heads",
        std::to_string(model.attention_heads) + " heads do not divide hidden_size " + std::to_string(model.hidden_size),
        "a divisor of hidden_size, or a head_dim");
  }
}

std::int64_t default_ffn_hidden_size(const Model& model) {
  if (!model.gated_mlp) return 4 * model.hidden_size;
  constexpr std::int64_t kMultiple = 256;
  const std::int64_t rounded_up = (8 * model.hidden_size + 3 * kMultiple - 1) / (3 * kMultiple);
  return rounded_up * kMultiple;
}

}  // namespace

Model read_transformer(const Node& node, const std::string& path, ReadContext& context) {
  MapReader map(node, path, context);
  Model model;
  for (const char* key : {"layers", "hidden_size", "vocab_size"}) map.require(key);
  model.layers = map.integer("layers", {1, kMaxLayers}).value_or(0);
  model.hidden_size = map.integer("hidden_size", {1, kMaxWidth}).value_or(0);
  model.vocab_size = map.integer("vocab_size", {1, kMaxRows}).value_or(0);
  model.gated_mlp = map.boolean("gated_mlp").value_or(false);
  model.tied_embeddings = map.boolean("tied_embeddings").value_or(false);
  model.ffn_hidden_size = map.integer("ffn_hidden_size", {1, kMaxWidth}).value_or(default_ffn_hidden_size(model));
  read_heads(map, model);
  read_position(map, model);
  read_style(map, model);
  read_attention_kind(map, model);
  read_experts(map, model);
  read_latent_attention(map, model);
  map.finish();
  return model;
}

}  // namespace trainsim
