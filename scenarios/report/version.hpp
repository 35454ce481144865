// Versions that results and `trainsim --version` name.
#pragma once

#include <string_view>

namespace trainsim {

inline constexpr int kFormatVersion = 1;  // of the scenario file and of the result

std::string_view version();          // trainsim's own, "0.1.0"
std::string_view simgrid_version();  // of the SimGrid that this program was built against, "3.32"

}  // namespace trainsim
