// Noise of synchronisation as a closed form of the number of ranks.
#include "simulator/conditions/jitter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace trainsim {
namespace {

// Harter, Expected values of normal order statistics, Biometrika 48 (1961).
TEST(ExpectedMaximum, IsThatOfTheTables) {
  EXPECT_EQ(expected_maximum(1), 0.0);
  for (const auto& [n, value] : {std::pair{8, 1.4236}, {20, 1.8675}, {100, 2.5076}, {400, 2.9682}}) {
    EXPECT_NEAR(expected_maximum(n), value, 0.02 * value) << n;
  }
}

Plan plan_of(std::int64_t tensor, std::int64_t context, std::int64_t data, std::int64_t pipeline) {
  Plan plan;
  plan.tensor = tensor;
  plan.context = context;
  plan.data = data;
  plan.pipeline = pipeline;
  return plan;
}

double per_second(const std::array<Synchronisation, kGroups>& all, Group group) {
  return all[static_cast<std::size_t>(group)].per_second;
}

TEST(Synchronisations, OfAllLevelsTogetherCostTheSlowestChipOfTheJob) {
  const auto all = synchronisations({.kernel = 0.01, .spread = 0.02}, plan_of(8, 2, 16, 4));
  const double sum = per_second(all, Group::tensor) + per_second(all, Group::context) + per_second(all, Group::data) +
                     per_second(all, Group::gradient_norm);
  EXPECT_NEAR(sum, 0.02 * expected_maximum(8 * 2 * 16 * 4), 1e-12);
  EXPECT_NEAR(all[static_cast<std::size_t>(Group::tensor)].per_root_square, 0.01 * expected_maximum(8), 1e-12);
}

TEST(Synchronisations, OfOneRankAndOfMessagesCostNothing) {
  const auto all = synchronisations({.kernel = 0.01, .spread = 0.02}, plan_of(1, 1, 1, 4));
  for (const Group group : {Group::tensor, Group::data, Group::pipeline_forward}) {
    EXPECT_EQ(per_second(all, group), 0.0);
  }
}

}  // namespace
}  // namespace trainsim
