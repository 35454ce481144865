// From a scenario as read to one in which everything is decided: the plan with every degree and default, the machine as
// a graph, the placement. Faults that concern several sections (degrees that do not multiply out, a batch that does not
// divide) are found here and point at the file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/format/scenario.hpp"
#include "simulator/cost/cost.hpp"
#include "simulator/lowering/lowering.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct ResolvedScenario {
  Scenario scenario;  // its optional fields filled in
  Plan plan;
  Stack stack;  // software.flash_attention applied
  KernelEfficiency efficiency;
  FabricSpec fabric;
  CollectiveCatalog collectives;
  Topology topology;                               // degraded links applied
  std::vector<GpuId> gpu_of_rank;                  // placement of the job
  std::vector<double> slowdown_of_rank;            // 1 / speed
  std::vector<std::vector<GpuId>> gpus_of_tenant;  // by traffic tenant
  double run_steps = 1;
  std::vector<std::string> notes;  // what was padded, replicated or lowered to fit
  // The full scenario with every default filled in; running it again gives the same result.
  nlohmann::ordered_json json;
};

// Throws InputError with all faults.
ResolvedScenario resolve(Scenario scenario);

}  // namespace trainsim
