#include "simulator/cost/cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/cost/plain_machine.hpp"

namespace trainsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kLaunch = 4e-6;
constexpr double kMatmulRate = 100e12;  // FLOP/s
constexpr double kMemoryRate = 1e12;    // B/s

CostModel plain_model(const std::string& precision = "bf16") {
  return {plain_accelerator(), plain_efficiency(), plain_stack(), Tuning{}, precision};
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MatMulCost, LargeProductRunsAtTheAchievableRate) {
  const MatMul product{.m = 4096, .n = 8192, .k = 2048};
  EXPECT_DOUBLE_EQ(plain_model().seconds(product), kLaunch + 2.0 * 4096 * 8192 * 2048 / kMatmulRate);
}

TEST(MatMulCost, ThinProductRunsAtTheMemoryRate) {
  const MatMul product{.m = 1, .n = 8192, .k = 8192};
  const double bytes = 2.0 * (8192 + 8192.0 * 8192 + 8192);
  EXPECT_DOUBLE_EQ(plain_model().seconds(product), kLaunch + bytes / kMemoryRate);
}

TEST(MatMulCost, AccumulatingResultIsReadAndWrittenInFp32) {
  const MatMul product{.m = 8192, .n = 8192, .k = 1, .accumulates_fp32 = true};
  const double bytes = 2.0 * (8192 + 8192) + 8.0 * 8192 * 8192;
  EXPECT_DOUBLE_EQ(plain_model().seconds(product), kLaunch + bytes / kMemoryRate);
}

TEST(MatMulCost, BatchedProductsRunAtTheStacksShareOfTheRate) {
  const MatMul product{.m = 4096, .n = 4096, .k = 4096, .count = 16};
  EXPECT_DOUBLE_EQ(plain_model().seconds(product), kLaunch + 16 * 2.0 * 4096 * 4096 * 4096 / (0.5 * kMatmulRate));
}

TEST(MatMulCost, BatchOfProductsMovesTheBytesOfEach) {
  const MatMul product{.m = 1, .n = 1024, .k = 1024, .count = 16};
  EXPECT_DOUBLE_EQ(plain_model().seconds(product), kLaunch + 16 * 2.0 * (1024 + 1024.0 * 1024 + 1024) / kMemoryRate);
}

TEST(MatMulCost, Fp8ReadsOneByteAndWritesTwo) {
  const MatMul product{.m = 8192, .n = 8192, .k = 1};
  const double bytes = 8192 + 8192 + 2.0 * 8192 * 8192;
  EXPECT_DOUBLE_EQ(plain_model("fp8").seconds(product), kLaunch + bytes / kMemoryRate);
}

TEST(MatMulCost, Fp8HasItsOwnPeakAndEfficiency) {
  const MatMul product{.m = 8192, .n = 8192, .k = 8192};
  EXPECT_DOUBLE_EQ(plain_model("fp8").seconds(product), kLaunch + 2.0 * 8192 * 8192 * 8192 / (400e12 * 0.25));
}

TEST(MatMulCost, ProductThatStaysIn16BitsIsCostedAsInBf16) {
  for (const double k : {1.0, 8192.0}) {
    const MatMul product{.m = 8192, .n = 8192, .k = k, .count = 2, .stays_16_bit = true};
    EXPECT_DOUBLE_EQ(plain_model("fp8").seconds(product), plain_model("bf16").seconds(product));
  }
}

FusedAttention causal_attention(double batch, double heads, double length, double head_dim, bool is_backward = false) {
  return {.batch = batch,
          .heads = heads,
          .queries = length,
          .keys = length,
          .attended_keys = length / 2,
          .qk_dim = head_dim,
          .v_dim = head_dim,
          .is_backward = is_backward};
}

TEST(AttentionCost, ForwardReachesHalfOfItsShareAtTheHalfLength) {
  const FusedAttention attention = causal_attention(2, 8, 1000, 128);
  const double flops = 0.5 * 4.0 * 2 * 8 * 1000 * 1000 * 128;
  EXPECT_DOUBLE_EQ(plain_model().seconds(attention), kLaunch + flops / (0.5 * 0.4 * 200e12));
}

TEST(AttentionCost, BackwardHasItsOwnShareAndHalfLength) {
  const FusedAttention attention = causal_attention(1, 4, 3000, 64, true);
  const double flops = 2.5 * 0.5 * 4.0 * 4 * 3000 * 3000 * 64;
  EXPECT_DOUBLE_EQ(plain_model().seconds(attention), kLaunch + flops / (0.5 * 0.2 * 200e12));
}

TEST(AttentionCost, BidirectionalCostsTwiceCausal) {
  FusedAttention attention = causal_attention(1, 8, 4096, 128);
  const double causal_s = plain_model().seconds(attention) - kLaunch;
  attention.attended_keys = attention.keys;
  EXPECT_NEAR(plain_model().seconds(attention) - kLaunch, 2.0 * causal_s, 1e-12);
}

TEST(AttentionCost, Fp8TrainingKeepsAttentionIn16Bits) {
  const FusedAttention attention = causal_attention(1, 8, 4096, 128);
  EXPECT_DOUBLE_EQ(plain_model("fp8").seconds(attention), plain_model("bf16").seconds(attention));
}

TEST(MemoryBoundCost, IsLaunchesPlusBytesOverTheMemoryRate) {
  EXPECT_DOUBLE_EQ(plain_model().seconds(MemoryBound{.bytes = 3e9, .kernels = 5}), 5 * kLaunch + 3e9 / kMemoryRate);
}

TEST(MemoryBoundCost, OptimizerHasItsShareOfTheMemoryRate) {
  const MemoryBound kernel{.bytes = 3e9, .kernels = 1, .is_optimizer = true};
  EXPECT_DOUBLE_EQ(plain_model().seconds(kernel), kLaunch + 3e9 / (0.25 * kMemoryRate));
}

TEST(HostTimeCost, IsItself) { EXPECT_DOUBLE_EQ(plain_model().seconds(HostTime{0.002}), 0.002); }

TEST(WorkCost, IsTheSumOfItsKernels) {
  Work work;
  work.kernels = {MatMul{.m = 4096, .n = 4096, .k = 4096}, MemoryBound{.bytes = 1e9}, HostTime{1e-3}};
  double sum = 0.0;
  for (const Kernel& kernel : work.kernels) sum += plain_model().seconds(kernel);
  EXPECT_DOUBLE_EQ(plain_model().seconds(work), sum);
}

TEST(WorkCost, FlopsCountProductsAndAttentionOnly) {
  Work work;
  work.kernels = {
      MatMul{.m = 2, .n = 3, .k = 5, .count = 7},
      FusedAttention{.batch = 1, .heads = 2, .queries = 8, .keys = 8, .attended_keys = 4, .qk_dim = 4, .v_dim = 4},
      MemoryBound{.bytes = 1e9}, HostTime{1.0}};
  EXPECT_DOUBLE_EQ(CostModel::flops(work), 2.0 * 2 * 3 * 5 * 7 + 0.5 * 4 * 2 * 8 * 8 * 4);
}

TEST(WorkCost, MemoryBoundSecondsLeaveOutWhatArithmeticBinds) {
  Work work;
  work.kernels = {MatMul{.m = 8192, .n = 8192, .k = 8192}, MatMul{.m = 1, .n = 8192, .k = 8192},
                  MemoryBound{.bytes = 1e9}, HostTime{1.0}};
  const double thin_s = 2.0 * (8192 + 8192.0 * 8192 + 8192) / kMemoryRate;
  EXPECT_DOUBLE_EQ(plain_model().memory_bound_seconds(work), thin_s + 1e9 / kMemoryRate);
}

TEST(Tuning, FactorsScaleTheirOwnRateOnly) {
  Tuning tuning;
  tuning.gemm_efficiency_factor = 0.5;
  tuning.attention_efficiency_factor = 0.25;
  tuning.memory_efficiency_factor = 0.8;
  const CostModel tuned(plain_accelerator(), plain_efficiency(), plain_stack(), tuning, "bf16");
  const MatMul product{.m = 8192, .n = 8192, .k = 8192};
  const FusedAttention attention = causal_attention(4, 8, 4096, 128);
  const MemoryBound pass{.bytes = 1e9};
  const auto without_launch = [](const CostModel& model, const Kernel& kernel) {
    return model.seconds(kernel) - kLaunch;
  };
  EXPECT_NEAR(without_launch(tuned, product) / without_launch(plain_model(), product), 2.0, 1e-9);
  EXPECT_NEAR(without_launch(tuned, attention) / without_launch(plain_model(), attention), 4.0, 1e-9);
  EXPECT_NEAR(without_launch(tuned, pass) / without_launch(plain_model(), pass), 1.25, 1e-9);
}

TEST(CostModelErrors, UnknownPrecisionNamesWhatTheAcceleratorHas) {
  EXPECT_THAT(message_of([] { plain_model("nvfp4"); }), AllOf(HasSubstr("nvfp4"), HasSubstr("bf16, fp16, fp32, fp8")));
}

TEST(CostModelErrors, UnknownFlashGenerationNamesWhatThereIs) {
  Stack stack = plain_stack();
  stack.kernels.flash_attention = 3;
  const auto make = [&] { CostModel(plain_accelerator(), plain_efficiency(), stack, Tuning{}, "bf16"); };
  EXPECT_THAT(message_of(make), AllOf(HasSubstr("flash attention 3"), HasSubstr("0, 2")));
}

TEST(CostModelErrors, FlashAttentionRefusesFp32) {
  EXPECT_THAT(message_of([] { plain_model("fp32"); }), HasSubstr("flash_attention: 0"));
  Stack unfused = plain_stack();
  unfused.kernels.flash_attention = 0;
  EXPECT_NO_THROW(CostModel(plain_accelerator(), plain_efficiency(), unfused, Tuning{}, "fp32"));
}

}  // namespace
}  // namespace trainsim
