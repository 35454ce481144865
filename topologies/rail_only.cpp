#include "topologies/fabric_plans.hpp"

namespace trainsim {

FabricPlan plan_rail_only(const FabricSpec& fabric) {
  if (!fabric.levels.empty()) return {.levels = fabric.levels, .rails = RailLayout::all_tiers};
  return {
      .levels = {{.name = "leaf", .ports = fabric.leaf_ports, .gpus = {}, .oversubscription = fabric.oversubscription},
                 {.name = "spine", .ports = {}, .gpus = {}, .oversubscription = 1.0}},
      .rails = RailLayout::all_tiers};
}

}  // namespace trainsim
