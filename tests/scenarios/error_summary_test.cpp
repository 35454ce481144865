#include "scenarios/validation/error_summary.hpp"

#include <gtest/gtest.h>

namespace trainsim {
namespace {

TEST(ErrorSummary, SaysHowFarOffPredictionsAre) {
  const ErrorSummary summary = summarize({{-0.2, 8}, {0.1, 8}, {0.1, 8}, {0.4, 8}});
  EXPECT_EQ(summary.n, 4U);
  EXPECT_NEAR(summary.bias, 0.1, 1e-12);
  EXPECT_NEAR(summary.mean, 0.2, 1e-12);
  EXPECT_NEAR(summary.median, 0.15, 1e-12);
  EXPECT_NEAR(summary.p90, 0.4, 1e-12);
  EXPECT_EQ(summary.slope_per_decade, 0.0);
}

TEST(ErrorSummary, SlopeIsPerFactorOfTen) {
  EXPECT_NEAR(summarize({{0.0, 10}, {0.1, 100}, {0.2, 1000}}).slope_per_decade, 0.1, 1e-12);
}

TEST(ErrorSummary, NothingIsNoError) { EXPECT_EQ(summarize({}).n, 0U); }

TEST(ErrorSummary, QuantileIsAValueThatIsThere) {
  EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0.5), 3);
  EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0.9), 5);
  EXPECT_EQ(quantile({7}, 0.0), 7);
}

}  // namespace
}  // namespace trainsim
