// The figures of a software stack that measured steps can tell apart, by their path in the stack's file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/cost/cost.hpp"

namespace trainsim {

struct StackFigure {
  std::string path;       // "host.per_kernel"
  std::string unit;       // "us": what the file's number counts; empty: a plain number
  double unit_value = 1;  // of the unit, in SI
  double typical = 1.0;   // where a fit starts when the stack has 0 (SI)
  double (*value)(const Stack&) = nullptr;

  // A value (SI) as the file writes it.
  [[nodiscard]] std::string text(double figure) const;
};

const std::vector<StackFigure>& stack_figures();

// A stack file: the base with these figures changed. `origin` is their source.
std::string stack_file_text(const std::string& base, const std::string& about,
                            const std::vector<std::pair<StackFigure, double>>& figures, const std::string& origin);

}  // namespace trainsim
