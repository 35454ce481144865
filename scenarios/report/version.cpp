#include "scenarios/report/version.hpp"

namespace trainsim {

std::string_view version() { return TRAINSIM_VERSION; }
std::string_view simgrid_version() { return TRAINSIM_SIMGRID_VERSION; }

}  // namespace trainsim
