// The software stack on this accelerator: which kernels it runs, and what is known about them.
#pragma once

#include <optional>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/findings.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct Software {
  Stack stack;  // software.flash_attention applied
  KernelEfficiency efficiency;
};

// Fills in `software.flash_attention`: the stack's own generation, lowered with a note to one that the accelerator has
// figures for (0, unfused, in 32-bit precisions). nullopt, with faults, where the catalog has no stack, accelerator,
// precision or generation as the file asks for.
// Slows the launches of tensor-parallel ranks by their hosts' stalls (HostStalls).
void apply_host_stalls(const Plan& plan, const std::vector<GpuId>& gpu_of_rank, const Topology& topology, Stack& stack);

// The scenario's jitter in place of the stack's, and the other way round where the scenario says nothing.
void apply_jitter(Conditions& conditions, Stack& stack);

std::optional<Software> resolve_software(Scenario& scenario, Findings& findings);

// Faults, or a note where it has no effect, for what software.collectives asks of switches: reduction in an NVLink
// switch or in the network.
void check_collectives(const Scenario& scenario, const CollectiveCatalog& constants, Findings& findings);

}  // namespace trainsim
