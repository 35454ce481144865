// The answer as a page of plain text that a capacity planner reads from top to bottom. Units everywhere, at most 100
// columns.
#pragma once

#include <string>

#include "scenarios/run/result.hpp"

namespace trainsim {

struct TableStyle {
  bool has_colour = false;  // ANSI escape sequences; for terminals only
};

std::string render_table(const Result& result, const TableStyle& style = {});

}  // namespace trainsim
