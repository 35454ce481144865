// The scenario file's words for the choices that a plan and a machine are made of.
#pragma once

#include <string_view>

#include "simulator/conditions/conditions.hpp"
#include "topologies/hardware.hpp"
#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

std::string_view name_of(ScheduleKind kind);
std::string_view name_of(ShardingKind kind);
std::string_view name_of(RecomputeKind kind);
std::string_view name_of(Axis axis);
std::string_view name_of(ContextKind kind);
std::string_view name_of(ScalingKind kind);
std::string_view name_of(FabricKind kind);
std::string_view name_of(RoutingKind kind);
std::string_view name_of(PlacementKind kind);
std::string_view name_of(PositionKind kind);
std::string_view name_of(AttentionKind kind);
std::string_view name_of(NormKind kind);

}  // namespace trainsim
