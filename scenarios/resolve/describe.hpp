// The resolved scenario as a scenario file: every default filled in, keys in the order of the format page, quantities
// with units. Reading and resolving it gives the same resolved scenario.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/format/scenario.hpp"

namespace trainsim {

// REQUIRES: `scenario` has been resolved. A preset's model and a catalog's node keep their name.
nlohmann::ordered_json describe(const Scenario& scenario);

}  // namespace trainsim
