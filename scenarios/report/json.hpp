// The result page's JSON object (docs/result.md), version 1.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "scenarios/run/result.hpp"

namespace trainsim {

// Keys in the page's order; a quantity that does not apply is absent. Throws std::runtime_error when a figure is not
// finite and std::invalid_argument when a part of gpu_time has a name that the page does not know: both are mistakes of
// the program, not of the user.
nlohmann::ordered_json to_json(const Result& result);

// Indented, with a newline at the end. The same object always gives the same bytes.
void write_json(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace trainsim
