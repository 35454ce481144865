#include "workloads/rank_grid.hpp"

#include <gmock/gmock.h>

namespace trainsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Ranks = std::vector<std::vector<std::uint32_t>>;

Ranks communicators(const Plan& plan, Group group) {
  Ranks result;
  for (const auto& members : RankGrid(plan).communicators(group, plan)) {
    result.emplace_back();
    for (const RankId rank : members) result.back().push_back(rank.value);
  }
  return result;
}

Plan plan_of(std::int64_t tensor, std::int64_t context, std::int64_t data, std::int64_t pipeline) {
  Plan plan;
  plan.tensor = tensor;
  plan.context = context;
  plan.data = data;
  plan.pipeline = pipeline;
  return plan;
}

// tensor 2 x data 2 x pipeline 3; ranks of one stage: 4 s .. 4 s + 3.
TEST(RankGrid, NumbersTensorNeighboursFirst) {
  const Plan plan = plan_of(2, 1, 2, 3);
  EXPECT_EQ(RankGrid(plan).size(), 12);
  EXPECT_EQ(communicators(plan, Group::tensor), (Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}));
  EXPECT_EQ(communicators(plan, Group::data), (Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}}));
  EXPECT_EQ(communicators(plan, Group::gradient_norm), (Ranks{{0, 1, 4, 5, 8, 9}, {2, 3, 6, 7, 10, 11}}));
  EXPECT_EQ(communicators(plan, Group::embedding), (Ranks{{0, 8}, {1, 9}, {2, 10}, {3, 11}}));
}

// Each rank holds a part of the sharded gradients, so every one of them has a part of the norm.
TEST(RankGrid, SpreadsTheGradientNormOverAllRanksWhenSharded) {
  Plan plan = plan_of(2, 1, 2, 2);
  plan.sharding = ShardingKind::optimizer;
  EXPECT_EQ(communicators(plan, Group::gradient_norm), (Ranks{{0, 1, 2, 3, 4, 5, 6, 7}}));
}

TEST(RankGrid, FollowsTheOrderOfThePlan) {
  Plan plan = plan_of(2, 1, 2, 2);
  plan.order = {Axis::pipeline, Axis::data, Axis::tensor, Axis::context};
  EXPECT_EQ(communicators(plan, Group::tensor), (Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(communicators(plan, Group::pipeline_forward), (Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(communicators(plan, Group::gradient_norm), (Ranks{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(RankGrid, SpreadsDenseGradientsOverDataAndContext) {
  const Plan plan = plan_of(2, 2, 2, 1);
  EXPECT_EQ(communicators(plan, Group::context), (Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(communicators(plan, Group::data), (Ranks{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(RankGrid, SendsAlongThePipelineWithTheSenderFirst) {
  const Plan plan = plan_of(1, 1, 1, 3);
  EXPECT_EQ(communicators(plan, Group::pipeline_forward), (Ranks{{0, 1}, {1, 2}}));
  EXPECT_EQ(communicators(plan, Group::pipeline_backward), (Ranks{{1, 0}, {2, 1}}));
}

TEST(RankGrid, ClosesThePipelineToARingWithVirtualStages) {
  Plan plan = plan_of(1, 1, 1, 3);
  plan.virtual_stages = 2;
  EXPECT_EQ(communicators(plan, Group::pipeline_forward), (Ranks{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(communicators(plan, Group::pipeline_backward), (Ranks{{1, 0}, {2, 1}, {0, 2}}));
}

// tensor 2 x context 1 x data 4 of one stage, as expert_tensor 2 x expert 2 x replica 2.
TEST(RankGrid, TakesExpertRanksFromTensorContextAndData) {
  Plan plan = plan_of(2, 1, 4, 2);
  plan.expert = 2;
  plan.expert_tensor = 2;
  EXPECT_EQ(communicators(plan, Group::expert_tensor),
            (Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
  EXPECT_EQ(communicators(plan, Group::expert),
            (Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(communicators(plan, Group::expert_data),
            (Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
}

TEST(RankGrid, SpreadsOneTensorRanksExpertsOverItsNeighboursFirst) {
  Plan plan = plan_of(2, 1, 2, 1);
  plan.expert = 4;
  EXPECT_EQ(communicators(plan, Group::expert), (Ranks{{0, 1, 2, 3}}));
  EXPECT_THAT(communicators(plan, Group::expert_data), IsEmpty());
}

TEST(RankGrid, ShardsOverNeighboursAndReplicatesOverTheRest) {
  Plan plan = plan_of(2, 1, 4, 1);
  plan.sharding = ShardingKind::full;
  plan.sharding_group = 2;
  EXPECT_EQ(communicators(plan, Group::shard), (Ranks{{0, 2}, {4, 6}, {1, 3}, {5, 7}}));
  EXPECT_EQ(communicators(plan, Group::replica), (Ranks{{0, 4}, {2, 6}, {1, 5}, {3, 7}}));
}

TEST(RankGrid, LeavesOutGroupsOfOneRank) {
  const Plan plan = plan_of(1, 1, 4, 1);
  for (const Group group : {Group::tensor, Group::context, Group::pipeline_forward, Group::pipeline_backward,
                            Group::embedding, Group::gradient_norm}) {
    EXPECT_THAT(communicators(plan, group), IsEmpty());
  }
  EXPECT_EQ(communicators(plan, Group::data), (Ranks{{0, 1, 2, 3}}));
}

// Work that grows with the square of the ranks would not end within the test's time limit; a limit in seconds would
// only measure how busy the machine is.
TEST(RankGrid, ListsTheGroupsOfALargeCluster) {
  const Plan plan = plan_of(8, 2, 512, 16);  // 131,072 ranks
  const RankGrid grid(plan);
  std::size_t members = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    for (const auto& ranks : grid.communicators(static_cast<Group>(group), plan)) members += ranks.size();
  }
  // Six groups of all ranks (tensor, context, data, gradient norm; one shard and one expert rank make replicas of all),
  // 2 x 15/16 of them as pairs in two directions, first and last stage.
  EXPECT_EQ(members, std::size_t{131072} * 6 + std::size_t{8192} * (15 * 2 * 2 + 2));
}

}  // namespace
}  // namespace trainsim
