#include "workloads/presets.hpp"

#include <algorithm>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/embedded_document.hpp"
#include "simulator/input/origins.hpp"

namespace trainsim {

EmbeddedFolder model_catalog_files();

namespace {

constexpr std::int64_t kMaxLayers = 10'000;  // the format's limit
constexpr std::int64_t kMaxWidth = std::int64_t{1} << 24;
constexpr std::int64_t kMaxRows = std::int64_t{1} << 28;

void read_attention_kind(MapReader& map, Model& model) {
  const Node* node = map.node("attention");
  if (node == nullptr) return;
  const std::string path = map.path_of("attention");
  if (node->kind == Node::Kind::map) {
    MapReader window(*node, path, map.context());
    window.refuse_later("window");
    window.finish();
    return;
  }
  const auto kind = read_choice(*node, path, map.context(), {"causal", "bidirectional"});
  model.attention = kind == "bidirectional" ? AttentionKind::bidirectional : AttentionKind::causal;
}

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

struct Preset {
  Model model;
  std::optional<double> published_parameters;
};

Preset read_preset(const Node& root, ReadContext& context) {
  const SourcedFigures written = split_origins(root, "", context, {.is_required = true});
  MapReader map(written.figures, "", context);
  map.text("counted");
  Preset preset;
  preset.published_parameters = map.number("published_parameters");
  map.require("transformer");
  if (const Node* transformer = map.node("transformer")) {
    preset.model = read_transformer(*transformer, "transformer", context);
  }
  preset.model.token_types = map.integer("token_types", {0, kMaxRows}).value_or(0);
  preset.model.embedding_norm = map.boolean("embedding_norm").value_or(false);
  preset.model.pretraining_heads = map.boolean("pretraining_heads").value_or(false);
  map.finish();
  return preset;
}

Preset preset_called(std::string_view name) {
  Preset preset = read_embedded(model_catalog_files().find(name), read_preset);
  preset.model.name = name;
  return preset;
}

}  // namespace

std::vector<std::string> model_names() { return model_catalog_files().names(); }

std::vector<std::string> later_model_names() {
  return {"mixtral-8x7b", "deepseek-v3", "qwen3-30b-a3b", "vit-huge", "resnet-50", "dlrm-v2", "stable-diffusion-v2"};
}

Model preset_model(std::string_view name) { return preset_called(name).model; }

std::optional<double> published_parameters(std::string_view name) { return preset_called(name).published_parameters; }

std::string_view model_catalog_sha256() { return model_catalog_files().sha256(); }

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
  map.refuse_later("moe");
  map.refuse_later("mla");
  map.finish();
  return model;
}

}  // namespace trainsim
