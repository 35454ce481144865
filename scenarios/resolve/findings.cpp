#include "scenarios/resolve/findings.hpp"

#include <utility>

#include "scenarios/format/scenario.hpp"

namespace trainsim {

void Findings::fault(const std::string& key, std::string what, std::string allowed) {
  diagnostics_.add({place_of(document_, key), key, std::move(what), std::move(allowed)});
}

void Findings::fault_at(Location where, std::string what, std::string allowed) {
  diagnostics_.add({std::move(where), "", std::move(what), std::move(allowed)});
}

}  // namespace trainsim
