// model: the dimensions that the row prints, or the preset of its name where it leaves some out.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "scenarios/validation/row_sections.hpp"

namespace trainsim {
namespace {

using nlohmann::ordered_json;

// The number that follows `word` in a cell such as "MLA(q_lora1536,kv_lora512,…)".
std::optional<std::int64_t> number_after(const std::string& cell, const std::string& word) {
  std::smatch match;
  if (!std::regex_search(cell, match, std::regex(word + R"((\d+))"))) return std::nullopt;
  return std::stoll(match[1]);
}

bool has_sizes(const TrainingRow& row) {
  constexpr std::array<std::string_view, 6> kSizes = {"n_layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocab"};
  return row.has("gated_mlp") &&
         std::ranges::all_of(kSizes, [&](auto column) { return row.count(column).has_value(); });
}

bool has_embeddings(const TrainingRow& row) { return row.has("tied_embed") && row.has("pos_emb"); }

ordered_json latent_attention(const std::string& cell) {
  ordered_json mla;
  const auto take = [&](const char* key, const char* word) {
    if (const auto value = number_after(cell, word)) mla[key] = *value;
  };
  take("q_lora_rank", "q_lora");
  take("kv_lora_rank", "kv_lora");
  take("qk_nope_head_dim", "nope");
  take("qk_rope_head_dim", "rope");
  take("v_head_dim", ",v");
  return mla;
}

// "token-drop" rows of NeMo cap every expert at its balanced share.
ordered_json experts(const TrainingRow& row, RowFindings& findings) {
  ordered_json moe;
  moe["experts"] = findings.require(row, "moe_experts", "number of experts (moe_experts)");
  moe["top_k"] = findings.require(row, "moe_topk", "experts per token (moe_topk)");
  moe["expert_ffn_hidden_size"] = findings.require(row, "moe_ffn", "width of an expert (moe_ffn)");
  if (const auto shared = row.count("moe_shared")) moe["shared_experts"] = *shared;
  if (const auto dense = number_after(row.text("dims_source"), "first ")) moe["first_dense_layers"] = *dense;
  if (row.mentions("notes", "token-drop")) {
    moe["capacity_factor"] = 1.0;
    findings.assume("capacity factor 1 for dropped tokens");
  }
  return moe;
}

// "alternating sliding window 128": in every second layer.
std::optional<ordered_json> sliding_window(const TrainingRow& row) {
  const auto window = number_after(row.text("dims_source"), "alternating sliding window ");
  if (!window) return std::nullopt;
  return ordered_json{{"window", *window}, {"every_n_layers", 2}};
}

ordered_json transformer(const TrainingRow& row, RowFindings& findings) {
  const auto is_yes = [&](std::string_view column) { return row.text(column).starts_with('y'); };
  ordered_json shape;
  shape["layers"] = *row.count("n_layers");
  shape["hidden_size"] = *row.count("hidden");
  shape["ffn_hidden_size"] = *row.count("ffn_hidden");
  shape["attention_heads"] = *row.count("heads");
  shape["kv_heads"] = *row.count("kv_heads");
  if (const auto head = row.count("head_dim")) shape["head_dim"] = *head;
  shape["vocab_size"] = *row.count("vocab");
  shape["gated_mlp"] = is_yes("gated_mlp");
  shape["tied_embeddings"] = is_yes("tied_embed");
  shape["position"] = row.has("pos_emb") ? row.text("pos_emb") : "rope";
  if (!has_embeddings(row)) findings.assume("rotary positions and a head of its own");
  if (const auto window = sliding_window(row)) shape["attention"] = *window;
  if (row.assumptions().has_dropout) shape["dropout"] = true;
  if (row.text("head_dim").starts_with("MLA")) shape["mla"] = latent_attention(row.text("head_dim"));
  if (row.has("moe_experts")) shape["moe"] = experts(row, findings);
  return shape;
}

ordered_json lora(const TrainingRow& row, RowFindings& findings) {
  const auto rank = number_after(row.text("model"), "LoRA r");
  if (!rank) findings.assume("LoRA of rank 16");
  findings.assume("adapters on queries, keys, values and output");
  return {{"rank", rank.value_or(16)}, {"targets", {"qkv", "o"}}};
}

ordered_json base_model(const TrainingRow& row, RowFindings& findings) {
  const auto known = preset_called(row.text("model"));
  if (has_sizes(row) && (has_embeddings(row) || !known)) return {{"transformer", transformer(row, findings)}};
  if (known) return {{"preset", *known}};
  findings.lack(fmt::format("dimensions of the model ({})", row.text("model")));
  return {};
}

}  // namespace

bool is_lora(const TrainingRow& row) { return row.mentions("model", "LoRA") || row.mentions("framework", "LoRA"); }

ordered_json model_section(const TrainingRow& row, RowFindings& findings) {
  ordered_json model = base_model(row, findings);
  if (is_lora(row)) model["lora"] = lora(row, findings);
  return model;
}

}  // namespace trainsim
