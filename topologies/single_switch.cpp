#include <stdexcept>

#include "topologies/fabric_plans.hpp"

namespace trainsim {

FabricPlan plan_single_switch(const FabricSpec& fabric) {
  if (!fabric.levels.empty()) throw std::invalid_argument("a single-switch fabric has no levels; use leaf-spine");
  if (fabric.oversubscription != 1.0) {
    throw std::invalid_argument("a single switch has no links upwards to be oversubscribed; use leaf-spine");
  }
  return {.levels = {{.name = "leaf", .ports = {}, .gpus = {}, .oversubscription = 1.0}}, .rails = RailLayout::none};
}

}  // namespace trainsim
