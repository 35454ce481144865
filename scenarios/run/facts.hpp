// Parts of a Result, each from what the run knows at that point.
#pragma once

#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/result.hpp"
#include "simulator/accounting/accounting.hpp"
#include "simulator/cost/cost.hpp"
#include "workloads/program.hpp"

namespace trainsim {

void describe_plan(const ResolvedScenario& scenario, Result& result);
void describe_memory(const ResolvedScenario& scenario, const Program& program, Result& result);
// Step time, throughput and utilisation of the accelerators' peak.
void describe_step(const ResolvedScenario& scenario, const PlayedSteps& played, Result& result);
void describe_time(const PlayedSteps& played, const Accounting& accounting, Result& result);
void describe_links(const ResolvedScenario& scenario, const PlayedSteps& played, const Accounting& accounting,
                    Result& result);
// What binds, from the time split; REQUIRES the parts above.
void describe_bottleneck(const PlayedSteps& played, const CostModel& cost, const Accounting& accounting,
                         Result& result);

// "nvlink", "pcie", "nic", "leaf-spine" …: the result page's class of a link.
std::string link_class_name(const Network::NetworkLink& link, const std::vector<std::string>& tier_names);

}  // namespace trainsim
