#include <filesystem>

#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"
#include "workloads/presets.hpp"
#include "workloads/read_hf_config.hpp"

namespace trainsim {

namespace {

const std::vector<std::string> kLaterForms = {"cnn", "recommender", "layers", "trace"};

constexpr std::int64_t kMostAdapterRanks = 1 << 20;

void add_target(const std::string& target, Lora& lora) {
  if (target == "q") lora.q = true;
  if (target == "k") lora.k = true;
  if (target == "v") lora.v = true;
  if (target == "qkv" || target == "all") lora.qkv = true;
  if (target == "o" || target == "all") lora.o = true;
  if (target == "mlp" || target == "all") lora.mlp = true;
}

Lora read_lora_form(MapReader& map) {
  Lora lora;
  for (const char* key : {"rank", "targets"}) map.require(key);
  lora.rank = map.integer("rank", {1, kMostAdapterRanks}).value_or(1);
  read_items(map, "targets", [&](const Node& item, const std::string& path) {
    const auto target = read_choice(item, path, map.context(), {"q", "k", "v", "qkv", "o", "mlp", "all"});
    if (target) add_target(*target, lora);
  });
  const Node* targets = map.node("targets");
  if (targets != nullptr && targets->kind == Node::Kind::sequence && targets->items.empty()) {
    map.fault("targets", "an empty list", "at least one of q, k, v, qkv, o, mlp, all");
  }
  if (lora.qkv && (lora.q || lora.k || lora.v)) {
    map.fault("targets", "qkv beside q, k or v", "one adapter for all three, or one for each");
  }
  return lora;
}

void read_lora(MapReader& map, Model& model) {
  read_map(map, "lora", [&](MapReader& form) { model.lora = read_lora_form(form); });
  if (!model.lora) return;
  if (model.experts) map.fault("lora", "adapters beside experts are not supported yet", "a model without moe");
  if (model.latent) map.fault("lora", "adapters on latent attention are not supported yet", "a model without mla");
}

// A file beside the scenario; its faults are located in it.
Model read_hf_file(MapReader& map, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(map.context().file).parent_path() / name;
  try {
    const Document document = read_document(path);
    ReadContext context{document.file, map.context().diagnostics};
    return read_hf_config(document.root, context);
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.diagnostics()) {
      const bool is_unreadable = fault.where.line == 0;
      if (is_unreadable) {
        map.fault("hf_config", "'" + name + "': " + fault.what, fault.allowed);
      } else {
        map.context().diagnostics.add(fault);
      }
    }
    return {};
  }
}

}  // namespace

Model read_model(MapReader& root) {
  Model model;
  root.require("model");
  read_map(root, "model", [&model](MapReader& map) {
    std::vector<std::string> forms = {"preset", "transformer", "hf_config"};
    forms.insert(forms.end(), kLaterForms.begin(), kLaterForms.end());
    require_exactly_one(map, forms);
    for (const std::string& form : kLaterForms) map.refuse_later(form);
    if (const auto name = read_word(map, "preset", model_names(), later_model_names())) model = preset_model(*name);
    if (const Node* transformer = map.node("transformer")) {
      model = read_transformer(*transformer, map.path_of("transformer"), map.context());
    }
    if (const auto file = map.text("hf_config")) model = read_hf_file(map, *file);
    read_lora(map, model);
  });
  return model;
}

}  // namespace trainsim
