#include "topologies/fabric_plans.hpp"

namespace trainsim {

FabricPlan plan_rail_optimized(const FabricSpec& fabric) {
  if (!fabric.levels.empty()) return {.levels = fabric.levels, .rails = RailLayout::leaf_only};
  return {
      .levels = {{.name = "leaf", .ports = fabric.leaf_ports, .gpus = {}, .oversubscription = fabric.oversubscription},
                 {.name = "spine", .ports = {}, .gpus = {}, .oversubscription = 1.0}},
      .rails = RailLayout::leaf_only};
}

}  // namespace trainsim
