// The catalog in words: one line per entry for `trainsim list`, a page for `trainsim show`.
#pragma once

#include <string>

#include "simulator/cost/cost.hpp"
#include "topologies/hardware.hpp"
#include "workloads/model.hpp"

namespace trainsim {

std::string one_line(const Model& model);
std::string one_line(const Accelerator& accelerator);
std::string one_line(const NodeSpec& node);

std::string page(const Model& model);
std::string page(const Accelerator& accelerator);
std::string page(const NodeSpec& node);
std::string page(const Stack& stack);

}  // namespace trainsim
