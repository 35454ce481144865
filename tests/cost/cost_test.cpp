#include "simulator/cost/cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "tests/cost/plain_machine.hpp"

namespace trainsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kLaunch = 4e-6;
constexpr double kMemoryRate = 1e12;  // B/s
constexpr double kRepeatedReads = 1.1;

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

TEST(MatMulCost, Fp8ReadsOneByteAndWritesTwo) {
  Accelerator slow_memory = plain_accelerator();
  slow_memory.memory_bandwidth_bytes_per_s /= 100;
  const CostModel model(slow_memory, plain_efficiency(), plain_stack(), Tuning{}, "fp8");
  const MatMul product{.m = 2048, .n = 8192, .k = 4096};
  const double bytes = 2048 * 4096.0 + 4096 * 8192.0 + 2.0 * 2048 * 8192;
  EXPECT_DOUBLE_EQ(model.seconds(product), kLaunch + kRepeatedReads * bytes / (kMemoryRate / 100));
}

TEST(MatMulCost, Fp8HasItsOwnPeakAndEfficiency) {
  const MatMul product{.m = 8192, .n = 8192, .k = 32768};
  const double ratio = plain_model("fp8").seconds(product) / plain_model("bf16").seconds(product);
  EXPECT_NEAR(ratio, (200e12 * 0.5) / (400e12 * 0.25), 0.01);
}

TEST(MatMulCost, ProductThatStaysIn16BitsIsCostedAsInBf16) {
  for (const double k : {1.0, 8192.0}) {
    const MatMul product{.m = 8192, .n = 8192, .k = k, .count = 2, .stays_16_bit = true};
    EXPECT_DOUBLE_EQ(plain_model("fp8").seconds(product), plain_model("bf16").seconds(product));
  }
}

TEST(MatMulCost, ProductsOfExpertsRunAtTheStacksShareOfTheRateAndOtherBatchesAtAllOfIt) {
  MatMul product{.m = 4096, .n = 4096, .k = 4096, .count = 16};
  Stack stack = plain_stack();
  stack.grouped_matmul_factor = 0.5;
  const CostModel model(plain_accelerator(), plain_efficiency(), stack, Tuning{}, "bf16");
  const double batch_s = model.seconds(product) - kLaunch;
  EXPECT_DOUBLE_EQ(batch_s, plain_model().seconds(product) - kLaunch);
  product.is_grouped = true;
  EXPECT_DOUBLE_EQ(model.seconds(product) - kLaunch, 2.0 * batch_s);
}

TEST(Power, CapSlows16BitProductsInProportionAndNarrowerOnesLess) {
  const MatMul product{.m = 8192, .n = 8192, .k = 8192};
  Accelerator capped = plain_accelerator();
  capped.power_w = 250;
  const auto slowdown = [&](const std::string& precision) {
    const CostModel slow(capped, plain_efficiency(), plain_stack(), Tuning{}, precision);
    return (slow.seconds(product) - kLaunch) / (plain_model(precision).seconds(product) - kLaunch);
  };
  EXPECT_NEAR(slowdown("bf16"), 2.0, 1e-9);
  EXPECT_NEAR(slowdown("fp8"), std::pow(2.0, 0.4), 1e-9);
}

TEST(Power, MoreThanTheMeasuredPartHadChangesNothing) {
  const MatMul product{.m = 8192, .n = 8192, .k = 8192};
  Accelerator free = plain_accelerator();
  free.power_w = 1000;
  const CostModel model(free, plain_efficiency(), plain_stack(), Tuning{}, "bf16");
  EXPECT_DOUBLE_EQ(model.seconds(product), plain_model().seconds(product));
}

TEST(Power, SustainedShareSlowsRunsAndNotBursts) {
  const MatMul product{.m = 8192, .n = 8192, .k = 8192};
  KernelEfficiency efficiency = plain_efficiency();
  efficiency.sustained = 0.8;
  for (const auto& [precision, share] : std::map<std::string, double>{{"bf16", 0.8}, {"fp8", 0.8}}) {
    const CostModel runs(plain_accelerator(), efficiency, plain_stack(), Tuning{}, precision);
    const CostModel bursts(plain_accelerator(), in_bursts(efficiency), plain_stack(), Tuning{}, precision);
    EXPECT_NEAR((runs.seconds(product) - kLaunch) * share, bursts.seconds(product) - kLaunch, 1e-12);
    EXPECT_DOUBLE_EQ(bursts.seconds(product), plain_model(precision).seconds(product));
  }
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
  const double thin_s = kRepeatedReads * 2.0 * (8192 + 8192.0 * 8192 + 8192) / kMemoryRate;
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
    const double launches = std::holds_alternative<FusedAttention>(kernel) ? 3.0 : 1.0;
    return model.seconds(kernel) - launches * kLaunch;
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
