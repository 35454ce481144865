// The kernel constants of every accelerator as a page of the documentation (docs/constants.md).
#pragma once

#include <string>

namespace trainsim {

// Markdown. Throws std::logic_error for a constant of the catalog whose meaning this file does not know.
std::string constants_page();

}  // namespace trainsim
