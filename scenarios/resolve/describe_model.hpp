// The model in the words of `model`: a preset's name where it is one, else everything that it consists of.
#pragma once

#include <nlohmann/json.hpp>

#include "workloads/model.hpp"

namespace trainsim {

// Reading the result gives the same model.
nlohmann::ordered_json describe_model(const Model& model);
// Without adapters, in the words of `model.transformer`.
nlohmann::ordered_json describe_transformer(const Model& model);

}  // namespace trainsim
