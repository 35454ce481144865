// JSON values as YAML that the scenario reader takes back unchanged: block maps, flow lists of scalars, quotes where a
// plain word would mean something else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trainsim {

std::string to_yaml(const nlohmann::ordered_json& json);

}  // namespace trainsim
