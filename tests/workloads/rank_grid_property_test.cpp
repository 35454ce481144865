#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>

#include "workloads/rank_grid.hpp"

namespace trainsim {
namespace {

Plan any_plan() {
  Plan plan;
  plan.tensor = *rc::gen::inRange<std::int64_t>(1, 9);
  plan.context = *rc::gen::inRange<std::int64_t>(1, 5);
  plan.data = *rc::gen::inRange<std::int64_t>(1, 9);
  plan.pipeline = *rc::gen::inRange<std::int64_t>(1, 7);
  plan.virtual_stages = *rc::gen::inRange<std::int64_t>(1, 3);
  for (std::size_t i = plan.order.size() - 1; i > 0; --i) {
    std::swap(plan.order[i], plan.order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  return plan;
}

TEST(RankGrid, GivesEachRankBackFromItsPoint) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan();
    const RankGrid grid(plan);
    for (std::int64_t index = 0; index < grid.size(); ++index) {
      const RankId rank(static_cast<std::size_t>(index));
      const GridPoint point = grid.point(rank);
      RC_ASSERT(point.tensor < plan.tensor && point.context < plan.context);
      RC_ASSERT(point.data < plan.data && point.pipeline < plan.pipeline);
      RC_ASSERT(grid.rank(point) == rank);
    }
  }));
}

TEST(RankGrid, PartitionsTheRanksByEachCollectiveGroup) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan();
    const RankGrid grid(plan);
    const std::pair<Group, std::int64_t> groups[] = {{Group::tensor, plan.tensor},
                                                     {Group::context, plan.context},
                                                     {Group::data, plan.data * plan.context},
                                                     {Group::gradient_norm, plan.tensor * plan.pipeline}};
    for (const auto& [group, size] : groups) {
      std::vector<int> seen(static_cast<std::size_t>(grid.size()), 0);
      for (const auto& members : grid.communicators(group, plan)) {
        RC_ASSERT(static_cast<std::int64_t>(members.size()) == size);
        RC_ASSERT(std::is_sorted(members.begin(), members.end()));
        for (const RankId rank : members) ++seen[rank.index()];
      }
      RC_ASSERT(std::all_of(seen.begin(), seen.end(), [&](int count) { return count == (size > 1 ? 1 : 0); }));
    }
  }));
}

TEST(RankGrid, MembersOfAGroupDifferOnlyAlongItsAxes) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan();
    const RankGrid grid(plan);
    for (const auto& members : grid.communicators(Group::data, plan)) {
      for (const RankId rank : members) {
        RC_ASSERT(grid.point(rank).tensor == grid.point(members.front()).tensor);
        RC_ASSERT(grid.point(rank).pipeline == grid.point(members.front()).pipeline);
      }
    }
  }));
}

TEST(RankGrid, PipelinePairsAreOneStageApartAndBackwardMirrorsForward) {
  EXPECT_TRUE(rc::check([] {
    const Plan plan = any_plan();
    const RankGrid grid(plan);
    const auto forward = grid.communicators(Group::pipeline_forward, plan);
    const auto backward = grid.communicators(Group::pipeline_backward, plan);
    RC_ASSERT(forward.size() == backward.size());
    for (std::size_t i = 0; i < forward.size(); ++i) {
      const GridPoint from = grid.point(forward[i].at(0));
      const GridPoint to = grid.point(forward[i].at(1));
      RC_ASSERT(to.pipeline == (from.pipeline + 1) % plan.pipeline);
      RC_ASSERT(from.tensor == to.tensor && from.context == to.context && from.data == to.data);
      RC_ASSERT(backward[i].at(0) == forward[i].at(1) && backward[i].at(1) == forward[i].at(0));
    }
  }));
}

}  // namespace
}  // namespace trainsim
