// Errors of the kernel cost model as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/validation/kernel_validation.hpp"

namespace trainsim {

// One line for each operation and accelerator, then what was not compared and why.
std::string kernel_table(const KernelValidation& validation);
// The worst rows of each.
std::string worst_kernels_table(const KernelValidation& validation);
nlohmann::ordered_json kernel_json(const KernelValidation& validation);

}  // namespace trainsim
