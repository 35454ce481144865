#include "simulator/cost/attention_cost.hpp"

#include <gtest/gtest.h>

namespace trainsim {
namespace {

constexpr double kFixed = 3 * 4e-6;  // three launches
constexpr double kPeak = 200e12;

AttentionRates plain_rates() {
  AttentionRates rates;
  rates.processors = 1;
  rates.peak_flops_per_s = kPeak;
  rates.shares = {.forward = 0.4, .backward = 0.2, .half_length = 1000, .half_head_size = 0};
  rates.launch_s = 4e-6;
  return rates;
}

FusedAttention causal(double heads, double length, double head_dim, bool is_backward = false) {
  return {.batch = 1,
          .heads = heads,
          .queries = length,
          .keys = length,
          .attended_keys = length / 2,
          .qk_dim = head_dim,
          .v_dim = head_dim,
          .is_backward = is_backward};
}

double variable_s(const FusedAttention& attention, const AttentionRates& rates = plain_rates()) {
  return attention_time(attention, rates).seconds() - kFixed;
}

TEST(AttentionTime, OnTheHalfLengthIsTwiceThatAtTheFullRate) {
  const double flops = 0.5 * 4.0 * 4096 * 1000 * 1000 * 128;
  EXPECT_NEAR(variable_s(causal(4096, 1000, 128)) / (flops / (0.5 * 0.4 * kPeak)), 1.0, 1e-4);
}

TEST(AttentionTime, BackwardIsTwoAndAHalfTimesTheFlopsAtItsOwnShare) {
  const double ratio = variable_s(causal(4096, 4096, 128, true)) / variable_s(causal(4096, 4096, 128));
  EXPECT_NEAR(ratio, 2.5 * 0.4 / 0.2, 1e-9);
}

TEST(AttentionTime, BidirectionalCostsLessThanTwiceCausal) {
  FusedAttention attention = causal(32, 4096, 128);
  const double causal_s = variable_s(attention);
  attention.attended_keys = attention.keys;
  EXPECT_LT(variable_s(attention), 2.0 * causal_s);
  EXPECT_GT(variable_s(attention), 1.6 * causal_s);
}

TEST(AttentionTime, NarrowHeadsReachLess) {
  AttentionRates rates = plain_rates();
  rates.shares.half_head_size = 64;
  const auto rate = [&](double head_dim) {
    const FusedAttention attention = causal(32, 8192, head_dim);
    return attention_flops(attention) / variable_s(attention, rates);
  };
  EXPECT_LT(rate(64), 0.85 * rate(128));
  EXPECT_GT(rate(256), rate(128));
  EXPECT_LT(rate(256), 1.1 * rate(128));
}

TEST(AttentionTime, FewBlocksLeaveProcessorsIdle) {
  AttentionRates rates = plain_rates();
  rates.processors = 100;
  const auto per_head = [&](double heads) { return variable_s(causal(heads, 1024, 128), rates) / heads; };
  EXPECT_NEAR(per_head(1) / per_head(1e6), 1.0 + 0.5 * 100 / 8, 1e-3);
  EXPECT_NEAR(per_head(50) / per_head(1e6), 1.0 + 0.5 * 100 / 400, 1e-3);
}

// A window of w keys costs as a sequence of w keys would, for each query.
TEST(AttentionTime, OfAWindowFollowsItsKeys) {
  FusedAttention window = causal(4096, 32768, 128);
  window.keys = 1024;
  window.attended_keys = 1008;
  EXPECT_LT(variable_s(window), 0.12 * variable_s(causal(4096, 32768, 128)));
}

TEST(AttentionTime, UnequalHeadSizesRunBackwardAsWideAsTheLargerOne) {
  FusedAttention latent = causal(64, 4096, 192, true);
  latent.v_dim = 128;
  EXPECT_DOUBLE_EQ(variable_s(latent), variable_s(causal(64, 4096, 192, true)));
  EXPECT_DOUBLE_EQ(attention_flops(latent), 2.0 * 64 * 4096 * 2048 * (3 * 192 + 2 * 128));
}

}  // namespace
}  // namespace trainsim
