#include "scenarios/resolve/describe_model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/resolve/names.hpp"
#include "workloads/presets.hpp"

namespace trainsim {

using nlohmann::ordered_json;

namespace {

ordered_json describe_attention(const Model& model) {
  if (model.window == 0) return name_of(model.attention);
  return {{"window", model.window}, {"every_n_layers", model.window_every_n_layers}};
}

ordered_json describe_experts(const Experts& experts) {
  ordered_json json = {{"experts", experts.experts},
                       {"top_k", experts.top_k},
                       {"expert_ffn_hidden_size", experts.ffn_hidden_size},
                       {"shared_experts", experts.shared_experts},
                       {"every_n_layers", experts.every_n_layers},
                       {"first_dense_layers", experts.first_dense_layers}};
  if (experts.capacity_factor) json["capacity_factor"] = *experts.capacity_factor;
  if (!experts.loads.empty()) {
    json["skew"] = experts.loads;
  } else if (experts.power_law > 0) {
    json["skew"] = experts.power_law;
  }
  return json;
}

ordered_json describe_latent(const LatentAttention& latent) {
  return {{"q_lora_rank", latent.q_lora_rank},
          {"kv_lora_rank", latent.kv_lora_rank},
          {"qk_nope_head_dim", latent.qk_nope_head_dim},
          {"qk_rope_head_dim", latent.qk_rope_head_dim},
          {"v_head_dim", latent.v_head_dim}};
}

ordered_json describe_lora(const Lora& lora) {
  ordered_json targets = ordered_json::array();
  if (lora.qkv) targets.push_back("qkv");
  if (lora.q) targets.push_back("q");
  if (lora.k) targets.push_back("k");
  if (lora.v) targets.push_back("v");
  if (lora.o) targets.push_back("o");
  if (lora.mlp) targets.push_back("mlp");
  return {{"rank", lora.rank}, {"targets", std::move(targets)}};
}

bool is_preset(const Model& model, const ordered_json& transformer) {
  const std::vector<std::string> names = model_names();
  return std::find(names.begin(), names.end(), model.name) != names.end() &&
         transformer == describe_transformer(preset_model(model.name));
}

}  // namespace

ordered_json describe_transformer(const Model& model) {
  ordered_json json = {{"layers", model.layers},
                       {"hidden_size", model.hidden_size},
                       {"ffn_hidden_size", model.ffn_hidden_size},
                       {"attention_heads", model.attention_heads}};
  if (!model.latent) {
    json["kv_heads"] = model.kv_heads;
    json["head_dim"] = model.head_dim;
  }
  json["vocab_size"] = model.vocab_size;
  json["gated_mlp"] = model.gated_mlp;
  json["tied_embeddings"] = model.tied_embeddings;
  json["position"] = name_of(model.position);
  if (model.max_positions > 0) json["max_positions"] = model.max_positions;
  json["attention"] = describe_attention(model);
  json["norm"] = name_of(model.norm);
  json["biases"] = model.biases;
  json["dropout"] = model.dropout;
  if (model.experts) json["moe"] = describe_experts(*model.experts);
  if (model.latent) json["mla"] = describe_latent(*model.latent);
  return json;
}

ordered_json describe_model(const Model& model) {
  ordered_json transformer = describe_transformer(model);
  ordered_json json = ordered_json::object();
  if (is_preset(model, transformer)) {
    json["preset"] = model.name;
  } else {
    json["transformer"] = std::move(transformer);
  }
  if (model.lora) json["lora"] = describe_lora(*model.lora);
  return json;
}

}  // namespace trainsim
