// The constants of every accelerator and software stack as a page of the documentation (docs/constants.md).
#pragma once

#include <string>

#include "simulator/input/sourced_section.hpp"

namespace trainsim {

// Whether a figure of a stack is a number that models compute with, not a fact about the code (what is fused, what
// overlaps).
bool is_constant(const WrittenFigure& figure);

// Markdown. Throws std::logic_error for a constant of the catalog whose meaning this file does not know.
std::string constants_page();

}  // namespace trainsim
