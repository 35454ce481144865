#include "simulator/engine/step_rule.hpp"

#include <gtest/gtest.h>

namespace trainsim {
namespace {

TEST(StepRule, TwoEqualStepsAfterWarmUpAreEnough) {
  EXPECT_FALSE(measured_steps({1.5, 2.5}, {}).has_value());
  const auto measured = measured_steps({1.5, 2.5, 3.5}, {});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->first, 1U);
  EXPECT_EQ(measured->last, 1U);
}

TEST(StepRule, StepsThatStillDriftPlayOn) {
  EXPECT_FALSE(measured_steps({1.0, 2.0, 3.0 + 1e-7}, {}).has_value());
  const auto measured = measured_steps({1.0, 2.1, 3.1, 4.1}, {});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->first, 2U);
}

TEST(StepRule, StepsThatAgreeToNineDigitsAgree) {
  EXPECT_TRUE(measured_steps({1.0, 2.0, 3.0 + 1e-10}, {}).has_value());
}

TEST(StepRule, AFixedNumberIsMeasuredAndOneMorePlayed) {
  StepRule rule;
  rule.fixed_steps = 2;
  EXPECT_FALSE(measured_steps({1, 2, 3}, rule).has_value());
  const auto measured = measured_steps({1, 2, 3, 4}, rule);
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->last, 2U);
}

TEST(StepRule, UnderTimedConditionsTheMeanMustSettle) {
  StepRule rule;
  rule.has_timed_conditions = true;
  EXPECT_FALSE(measured_steps({0, 1, 2, 3, 4}, rule).has_value());  // three measured: too few
  EXPECT_TRUE(measured_steps({0, 1, 2, 3, 4, 5}, rule).has_value());
  EXPECT_FALSE(measured_steps({0, 1, 3, 4, 6, 7}, rule).has_value());  // 1, 2, 1, 2: error of 19 %
}

TEST(StepRule, ASlowTenantMustComeRoundFiveTimes) {
  StepRule rule;
  rule.has_timed_conditions = true;
  rule.slowest_condition_s = 2.0;
  std::vector<double> ends = {0};
  while (ends.size() < 11) ends.push_back(ends.back() + 1.0);
  EXPECT_FALSE(measured_steps(ends, rule).has_value());  // nine measured seconds
  ends.push_back(ends.back() + 1.0);
  EXPECT_TRUE(measured_steps(ends, rule).has_value());
}

TEST(StepRule, SixtyFourNoisyStepsEndThePlay) {
  StepRule rule;
  rule.has_timed_conditions = true;
  std::vector<double> ends = {0.0};
  while (ends.size() < 65) ends.push_back(ends.back() + (ends.size() % 2 == 0 ? 1.0 : 3.0));
  EXPECT_FALSE(measured_steps(ends, rule).has_value());
  ends.push_back(ends.back() + 1.0);
  const auto measured = measured_steps(ends, rule);
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->last, 64U);
}

}  // namespace
}  // namespace trainsim
