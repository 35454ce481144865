#include "workloads/rank_grid.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

namespace trainsim {
namespace {

std::int64_t& coordinate(GridPoint& point, Axis axis) {
  switch (axis) {
    case Axis::tensor:
      return point.tensor;
    case Axis::context:
      return point.context;
    case Axis::data:
      return point.data;
    case Axis::pipeline:
      break;
  }
  return point.pipeline;
}

// Whether the members of a group differ along an axis. Groups of experts and shards cut what varies further.
bool varies_along(Group group, Axis axis, const Plan& plan) {
  switch (group) {
    case Group::tensor:
      return axis == Axis::tensor;
    case Group::context:
      return axis == Axis::context;
    case Group::data:
    case Group::shard:
    case Group::replica:
      return axis == Axis::context || axis == Axis::data;
    case Group::expert:
    case Group::expert_tensor:
    case Group::expert_data:
      return axis != Axis::pipeline;
    case Group::gradient_norm:
      return axis == Axis::tensor || axis == Axis::pipeline || spreads_gradients(plan);
    case Group::pipeline_forward:
    case Group::pipeline_backward:
    case Group::embedding:
      break;
  }
  return axis == Axis::pipeline;
}

// Members of a group among ranks numbered 0, 1, …: `size` of them, `stride` apart.
struct Cut {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

Cut cut_of(Group group, const Plan& plan, std::int64_t ranks) {
  switch (group) {
    case Group::shard:
      return {plan.sharding_group, 1};
    case Group::replica:
      return {ranks / plan.sharding_group, plan.sharding_group};
    case Group::expert_tensor:
      return {plan.expert_tensor, 1};
    case Group::expert:
      return {plan.expert, plan.expert_tensor};
    case Group::expert_data:
      return {plan.expert_replicas(), plan.expert_tensor * plan.expert};
    case Group::tensor:
    case Group::context:
    case Group::data:
    case Group::gradient_norm:
    case Group::pipeline_forward:
    case Group::pipeline_backward:
    case Group::embedding:
      break;
  }
  return {ranks, 1};
}

using Offsets = std::vector<std::int64_t>;

// Adds `extent` places of distance `stride` to every offset; ascending if the strides come in ascending order.
Offsets spread(const Offsets& offsets, std::int64_t extent, std::int64_t stride) {
  Offsets result;
  result.reserve(offsets.size() * static_cast<std::size_t>(extent));
  for (std::int64_t place = 0; place < extent; ++place) {
    for (const std::int64_t offset : offsets) result.push_back(offset + place * stride);
  }
  return result;
}

// Pipeline stages that talk to each other: (sender, receiver), or (first, last) for the embedding.
std::vector<std::array<std::int64_t, 2>> stage_pairs(Group group, const Plan& plan) {
  std::vector<std::array<std::int64_t, 2>> pairs;
  const std::int64_t last = plan.pipeline - 1;
  if (last == 0) return pairs;
  if (group == Group::embedding) return {{0, last}};
  for (std::int64_t stage = 0; stage < last; ++stage) pairs.push_back({stage, stage + 1});
  if (plan.virtual_stages > 1) pairs.push_back({last, 0});
  if (group == Group::pipeline_backward) {
    for (auto& pair : pairs) std::swap(pair[0], pair[1]);
  }
  return pairs;
}

// Cuts the ranks `origin` + `members` into groups.
void add_groups(std::int64_t origin, const Offsets& members, const Cut& cut, std::vector<std::vector<RankId>>& groups) {
  const auto ranks = static_cast<std::int64_t>(members.size());
  for (std::int64_t block = 0; block < ranks; block += cut.size * cut.stride) {
    for (std::int64_t first = block; first < block + cut.stride; ++first) {
      std::vector<RankId>& group = groups.emplace_back();
      group.reserve(static_cast<std::size_t>(cut.size));
      for (std::int64_t i = 0; i < cut.size; ++i) {
        const std::int64_t member = members[static_cast<std::size_t>(first + i * cut.stride)];
        group.emplace_back(static_cast<std::size_t>(origin + member));
      }
    }
  }
}

bool is_paired(Group group) {
  return group == Group::pipeline_forward || group == Group::pipeline_backward || group == Group::embedding;
}

}  // namespace

bool spreads_gradients(const Plan& plan) { return plan.sharding != ShardingKind::none || plan.expert > 1; }

std::int64_t group_size(Group group, const Plan& plan) {
  if (is_paired(group)) return std::min<std::int64_t>(plan.pipeline, 2);
  GridPoint extent{.tensor = plan.tensor, .context = plan.context, .data = plan.data, .pipeline = plan.pipeline};
  std::int64_t ranks = 1;
  for (const Axis axis : plan.order) {
    if (varies_along(group, axis, plan)) ranks *= coordinate(extent, axis);
  }
  return cut_of(group, plan, ranks).size;
}

RankGrid::RankGrid(const Plan& plan)
    : extent_{.tensor = plan.tensor, .context = plan.context, .data = plan.data, .pipeline = plan.pipeline} {
  for (const Axis axis : plan.order) {
    assert(coordinate(stride_, axis) == 0 && "each axis once");
    coordinate(stride_, axis) = size_;
    size_ *= coordinate(extent_, axis);
  }
  assert(size_ == plan.ranks() && size_ <= std::numeric_limits<std::uint32_t>::max());
}

GridPoint RankGrid::point(RankId rank) const {
  const std::int64_t index = rank.value;
  assert(index < size_);
  return {.tensor = index / stride_.tensor % extent_.tensor,
          .context = index / stride_.context % extent_.context,
          .data = index / stride_.data % extent_.data,
          .pipeline = index / stride_.pipeline % extent_.pipeline};
}

RankId RankGrid::rank(const GridPoint& point) const {
  return RankId(static_cast<std::size_t>(point.tensor * stride_.tensor + point.context * stride_.context +
                                         point.data * stride_.data + point.pipeline * stride_.pipeline));
}

std::vector<std::vector<RankId>> RankGrid::communicators(Group group, const Plan& plan) const {
  GridPoint extent = extent_;
  GridPoint stride = stride_;
  Offsets members = {0};
  Offsets origins = {0};
  for (const Axis axis : plan.order) {
    Offsets& offsets = varies_along(group, axis, plan) ? members : origins;
    offsets = spread(offsets, coordinate(extent, axis), coordinate(stride, axis));
  }
  const Cut cut = cut_of(group, plan, static_cast<std::int64_t>(members.size()));
  std::vector<std::vector<RankId>> result;
  if (cut.size == 1) return result;

  const auto id = [](std::int64_t index) { return RankId(static_cast<std::size_t>(index)); };
  const auto pairs = is_paired(group) ? stage_pairs(group, plan) : std::vector<std::array<std::int64_t, 2>>{};
  result.reserve(origins.size() * (pairs.empty() ? 1 : pairs.size()));
  for (const std::int64_t origin : origins) {
    for (const auto& [from, to] : pairs) {
      result.push_back({id(origin + from * stride_.pipeline), id(origin + to * stride_.pipeline)});
    }
    if (!pairs.empty()) continue;
    add_groups(origin, members, cut, result);
  }
  return result;
}

}  // namespace trainsim
