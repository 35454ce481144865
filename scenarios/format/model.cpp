#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"
#include "workloads/presets.hpp"

namespace trainsim {

namespace {

const std::vector<std::string> kLaterForms = {"hf_config", "cnn", "recommender", "layers", "trace"};

void read_lora(MapReader& lora) {
  lora.integer("rank", {1, 1 << 20});
  read_items(lora, "targets", [&lora](const Node& target, const std::string& path) {
    read_choice(target, path, lora.context(), {"q", "k", "v", "qkv", "o", "mlp", "all"});
  });
}

}  // namespace

Model read_model(MapReader& root) {
  Model model;
  root.require("model");
  read_map(root, "model", [&model](MapReader& map) {
    std::vector<std::string> forms = {"preset", "transformer"};
    forms.insert(forms.end(), kLaterForms.begin(), kLaterForms.end());
    require_exactly_one(map, forms);
    for (const std::string& form : kLaterForms) map.refuse_later(form);
    refuse_section(map, "lora", read_lora);
    if (const auto name = read_word(map, "preset", model_names(), later_model_names())) model = preset_model(*name);
    if (const Node* transformer = map.node("transformer")) {
      model = read_transformer(*transformer, map.path_of("transformer"), map.context());
    }
  });
  return model;
}

}  // namespace trainsim
