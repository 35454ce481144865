// The software stack on this accelerator: which kernels it runs, and what is known about them.
#pragma once

#include <optional>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/findings.hpp"

namespace trainsim {

struct Software {
  Stack stack;  // software.flash_attention applied
  KernelEfficiency efficiency;
};

// Fills in `software.flash_attention`: the stack's own generation, lowered with a note to one that the accelerator has
// figures for (0, unfused, in 32-bit precisions). nullopt, with faults, where the catalog has no stack, accelerator,
// precision or generation as the file asks for.
std::optional<Software> resolve_software(Scenario& scenario, Findings& findings);

// Faults, or a note where it has no effect, for what software.collectives asks of switches: reduction in an NVLink
// switch or in the network.
void check_collectives(const Scenario& scenario, const CollectiveCatalog& constants, Findings& findings);

}  // namespace trainsim
