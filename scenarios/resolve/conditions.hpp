// What disturbs the run, tied to this machine: which ranks are slow, which links are degraded, which tier a tenant
// loads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/findings.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

enum class TenantForm : std::uint8_t { traffic, share };

// "conditions.tenants.2": where the file has the tenant that is number `ordinal` among those of its form.
std::string tenant_key(const Document& document, TenantForm form, std::size_t ordinal);

// 1 / speed of each rank. Conditions on one GPU multiply. `fraction` slows round(fraction x gpus) GPUs, drawn from the
// seed by a partial Fisher-Yates shuffle of the ranks, one std::mt19937_64 for all entries in the file's order: the
// same GPUs on every platform.
std::vector<double> slowdown_of_ranks(const Conditions& conditions, std::int64_t gpus, std::int64_t seed,
                                      Findings& findings);

// Multiplies capacity_factor of every link whose name matches; a pattern that matches none is a fault.
void degrade_links(const Conditions& conditions, Topology& topology, Findings& findings);

// Faults for shares of a tier that the fabric does not have, and for shares of one tier that leave nothing.
void check_shares(const Conditions& conditions, const Topology& topology, Findings& findings);

}  // namespace trainsim
