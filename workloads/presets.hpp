// The named models that ship with trainsim (YAML beside this file, each with its source), and models written out in a
// scenario.
#pragma once

#include <optional>

#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/reader.hpp"
#include "workloads/model.hpp"

namespace trainsim {

std::vector<std::string> model_names();
// Names of the format's catalog whose kind of model does not work yet ("not supported yet").
std::vector<std::string> later_model_names();
// Throws std::out_of_range for a name that is not in the list.
Model preset_model(std::string_view name);
// `model.transformer` of the format page, defaults filled in. Faults go to the context.
Model read_transformer(const Node& node, const std::string& path, ReadContext& context);
// The published parameter count of a preset, where its YAML names one (for the tests and `trainsim list models`).
std::optional<double> published_parameters(std::string_view name);

// Of the parameters that one token visits, where a preset with experts names them.
struct PublishedActive {
  double parameters = 0;
  bool counts_embedding = true;  // the table of an untied embedding, of which a token reads one row
};
std::optional<PublishedActive> published_active_parameters(std::string_view name);

std::string_view model_catalog_sha256();

}  // namespace trainsim
