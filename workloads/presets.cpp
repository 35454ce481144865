#include "workloads/presets.hpp"

#include <algorithm>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/embedded_document.hpp"
#include "simulator/input/origins.hpp"
#include "workloads/read_blocks.hpp"

namespace trainsim {

EmbeddedFolder model_catalog_files();

namespace {

struct Preset {
  Model model;
  std::optional<double> published_parameters;
  std::optional<PublishedActive> published_active;
};

std::optional<PublishedActive> read_published_active(MapReader& map) {
  const auto parameters = map.number("published_active_parameters");
  const bool counts_embedding = map.boolean("active_parameters_count_embedding").value_or(true);
  return parameters ? std::optional(PublishedActive{*parameters, counts_embedding}) : std::nullopt;
}

Preset read_preset(const Node& root, ReadContext& context) {
  const SourcedFigures written = split_origins(root, "", context, {.is_required = true});
  MapReader map(written.figures, "", context);
  map.text("counted");
  Preset preset;
  preset.published_parameters = map.number("published_parameters");
  preset.published_active = read_published_active(map);
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

std::vector<std::string> later_model_names() { return {"vit-huge", "resnet-50", "dlrm-v2", "stable-diffusion-v2"}; }

Model preset_model(std::string_view name) { return preset_called(name).model; }

std::optional<double> published_parameters(std::string_view name) { return preset_called(name).published_parameters; }

std::optional<PublishedActive> published_active_parameters(std::string_view name) {
  return preset_called(name).published_active;
}

std::string_view model_catalog_sha256() { return model_catalog_files().sha256(); }

}  // namespace trainsim
