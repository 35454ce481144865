#include "workloads/expert_load.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trainsim {
namespace {

TEST(ExpertLoad, IsOneWithoutSkew) {
  EXPECT_EQ(fullest_rank_load({.experts = 256, .top_k = 8}, 1), 1);
  EXPECT_EQ(fullest_rank_load({.experts = 256, .top_k = 8}, 32), 1);
  EXPECT_EQ(fullest_rank_load({.experts = 8, .capacity_factor = 1.25}, 8), 1);
  EXPECT_EQ(fullest_rank_load({.experts = 8, .capacity_factor = 0.75}, 8), 0.75);
}

TEST(ExpertLoad, OfListedLoadsIsThatOfTheFullestBlock) {
  const Experts experts{.experts = 4, .loads = {1, 2, 6, 3}};  // mean 3
  EXPECT_NEAR(fullest_rank_load(experts, 4), 2, 1e-12);
  EXPECT_NEAR(fullest_rank_load(experts, 2), 1.5, 1e-12);  // {6, 3} of a mean of 6
  EXPECT_NEAR(fullest_rank_load(experts, 1), 1, 1e-12);
}

TEST(ExpertLoad, OfAPowerLawIsThatOfTheFirstRankOfTheDeal) {
  const Experts experts{.experts = 4, .power_law = 1};  // 1, 1/2, 1/3, 1/4: mean 25/48
  EXPECT_NEAR(fullest_rank_load(experts, 4), 48.0 / 25, 1e-12);
  EXPECT_NEAR(fullest_rank_load(experts, 2), (1 + 1.0 / 3) / (2 * 25.0 / 48), 1e-12);
}

TEST(ExpertLoad, GrowsWithTheExponentUpToAllTokensOnOneExpert) {
  double before = 1;
  for (const double exponent : {0.3, 1.0, 2.0, 4.0}) {
    const double load = fullest_rank_load({.experts = 16, .power_law = exponent}, 16);
    EXPECT_GT(load, before);
    before = load;
  }
  EXPECT_NEAR(fullest_rank_load({.experts = 16, .power_law = 60}, 16), 16, 1e-9);
}

TEST(ExpertLoad, IsBoundedByTheCapacityOfEachExpert) {
  Experts experts{.experts = 4, .capacity_factor = 1.5, .loads = {1, 2, 6, 3}};
  EXPECT_NEAR(fullest_rank_load(experts, 4), 1.5, 1e-12);
  EXPECT_NEAR(fullest_rank_load(experts, 2), 1.25, 1e-12);  // (1.5 + 1) / 2
  experts.capacity_factor = 2.0;                            // what the fullest has
  EXPECT_NEAR(fullest_rank_load(experts, 4), 2, 1e-12);
}

TEST(RoutedTokens, AreTheCopiesOfARanksTokens) {
  Model model;
  model.experts = Experts{.experts = 8, .top_k = 2};
  Plan plan;
  plan.tensor = 4;
  plan.context = 2;
  plan.expert = 8;
  plan.micro_batch_size = 3;
  plan.sequence_length = 1024;
  EXPECT_EQ(routed_tokens_per_rank(model, plan), 2 * 3 * 512);
  plan.sequence_parallel = true;
  EXPECT_EQ(routed_tokens_per_rank(model, plan), 2 * 3 * 512 / 4);
  model.experts->loads = {9, 1, 1, 1, 1, 1, 1, 1};  // mean 2
  EXPECT_NEAR(routed_tokens_per_rank(model, plan), 4.5 * 2 * 3 * 512 / 4, 1e-9);
}

}  // namespace
}  // namespace trainsim
