#include "scenarios/resolve/names.hpp"

#include <cassert>

#include "topologies/build.hpp"

namespace trainsim {

std::string_view name_of(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::gpipe:
      return "gpipe";
    case ScheduleKind::one_f_one_b:
      return "1f1b";
    case ScheduleKind::interleaved:
      return "interleaved";
  }
  assert(false);
  return {};
}

std::string_view name_of(ShardingKind kind) {
  switch (kind) {
    case ShardingKind::none:
      return "none";
    case ShardingKind::optimizer:
      return "optimizer";
    case ShardingKind::gradients:
      return "gradients";
    case ShardingKind::full:
      return "full";
  }
  assert(false);
  return {};
}

std::string_view name_of(RecomputeKind kind) {
  switch (kind) {
    case RecomputeKind::none:
      return "none";
    case RecomputeKind::selective:
      return "selective";
    case RecomputeKind::full:
      return "full";
  }
  assert(false);
  return {};
}

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::tensor:
      return "tensor";
    case Axis::context:
      return "context";
    case Axis::data:
      return "data";
    case Axis::pipeline:
      return "pipeline";
  }
  assert(false);
  return {};
}

std::string_view name_of(ContextKind kind) {
  switch (kind) {
    case ContextKind::ring:
      return "ring";
    case ContextKind::ulysses:
      return "ulysses";
  }
  assert(false);
  return {};
}

std::string_view name_of(ScalingKind kind) {
  switch (kind) {
    case ScalingKind::delayed:
      return "delayed";
    case ScalingKind::current:
      return "current";
    case ScalingKind::blockwise:
      return "blockwise";
  }
  assert(false);
  return {};
}

std::string_view name_of(FabricKind kind) {
  for (const auto& entry : fabric_variants().entries()) {
    if (entry.value.kind == kind) return entry.name;
  }
  assert(false);
  return {};
}

std::string_view name_of(RoutingKind kind) {
  switch (kind) {
    case RoutingKind::adaptive:
      return "adaptive";
    case RoutingKind::ecmp:
      return "ecmp";
    case RoutingKind::static_modulo:
      return "static";
  }
  assert(false);
  return {};
}

std::string_view name_of(PlacementKind kind) {
  switch (kind) {
    case PlacementKind::packed:
      return "packed";
    case PlacementKind::scattered:
      return "scattered";
    case PlacementKind::file:
      return "file";
  }
  assert(false);
  return {};
}

std::string_view name_of(PositionKind kind) {
  switch (kind) {
    case PositionKind::rope:
      return "rope";
    case PositionKind::learned:
      return "learned";
    case PositionKind::none:
      return "none";
    case PositionKind::alibi:
      return "alibi";
  }
  assert(false);
  return {};
}

std::string_view name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::causal:
      return "causal";
    case AttentionKind::bidirectional:
      return "bidirectional";
  }
  assert(false);
  return {};
}

std::string_view name_of(NormKind kind) {
  switch (kind) {
    case NormKind::layer_norm:
      return "layer_norm";
    case NormKind::rms_norm:
      return "rms_norm";
  }
  assert(false);
  return {};
}

}  // namespace trainsim
