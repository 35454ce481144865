#include "topologies/fabric_plans.hpp"

namespace trainsim {

FabricPlan plan_fat_tree(const FabricSpec& fabric) {
  if (!fabric.levels.empty()) return {.levels = fabric.levels, .rails = RailLayout::none};
  const auto ports = fabric.leaf_ports;
  return {.levels = {{.name = "leaf", .ports = ports, .gpus = {}, .oversubscription = fabric.oversubscription},
                     {.name = "spine", .ports = ports, .gpus = {}, .oversubscription = 1.0},
                     {.name = "core", .ports = ports, .gpus = {}, .oversubscription = 1.0}},
          .rails = RailLayout::none};
}

}  // namespace trainsim
