// From a resolved scenario to the network that is folded and played: every rank's communicators, and what each asks of
// the links.
#pragma once

#include "scenarios/resolve/resolve.hpp"
#include "simulator/engine/play.hpp"
#include "simulator/folding/network.hpp"
#include "topologies/router.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// Group of a communicator's kind; REQUIRES: kind < kGroups (others are tenants).
std::string_view name_of(Group group);

Network build_network(const ResolvedScenario& scenario, const Program& program);

// The tenants of the scenario as the engine plays them: `quotient` has a communicator class for each traffic tenant.
std::vector<TrafficLoop> traffic_loops(const ResolvedScenario& scenario, const Quotient& quotient);
std::vector<ShareLoop> share_loops(const ResolvedScenario& scenario);

}  // namespace trainsim
