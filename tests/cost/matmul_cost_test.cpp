#include "simulator/cost/matmul_cost.hpp"

#include <gtest/gtest.h>

namespace trainsim {
namespace {

constexpr double kLaunch = 4e-6;
constexpr double kRate = 100e12;  // of 100 processors
constexpr double kStep = 64.0;    // of k, in 16 bits

MatMulRates plain_rates() {
  MatMulRates rates;
  rates.processors = 100;
  rates.flops_per_s = kRate;
  rates.bytes_per_s = 1e30;  // no matter, but where a test says so
  rates.operand_bytes = 2;
  rates.result_bytes = 2;
  rates.launch_s = kLaunch;
  return rates;
}

double seconds(const MatMul& product) { return matmul_time(product, plain_rates()).seconds(); }

// One wave of full tiles: 10 x 10 of 128 x 256, each on a processor of its own.
constexpr MatMul kFullWave{.m = 1280, .n = 2560, .k = 4096};

TEST(MatMulTime, OfAFullWaveIsThatOfOneTile) {
  const double tile_s = 2.0 * 128 * 256 * (4096 + 2 * kStep) / (kRate / 100);
  EXPECT_DOUBLE_EQ(seconds(kFullWave), kLaunch + tile_s);
}

TEST(MatMulTime, IsTheSameUntilAWaveIsFull) {
  for (const double m : {1281.0, 1300.0, 1344.0}) {
    EXPECT_DOUBLE_EQ(seconds({.m = m, .n = 2560, .k = 4096}), seconds({.m = 1344, .n = 2560, .k = 4096})) << m;
  }
}

TEST(MatMulTime, OneRowMoreThanAWaveHoldsStartsAnother) {
  MatMul larger = kFullWave;
  larger.m += 1;
  EXPECT_GT(seconds(larger) - kLaunch, 1.1 * (seconds(kFullWave) - kLaunch));
}

TEST(MatMulTime, OfManyWavesReachesTheRate) {
  const MatMul product{.m = 128 * 100, .n = 256 * 100, .k = 65536};
  const double ideal_s = matmul_flops(product) / kRate;
  EXPECT_GT(seconds(product), 0.99 * ideal_s);
  EXPECT_LT(seconds(product), 1.02 * ideal_s);
}

// Few tiles and a long k, as weight gradients of small layers have: pieces of k fill the processors.
TEST(MatMulTime, SplitsALongKAcrossIdleProcessors) {
  const MatMul product{.m = 512, .n = 512, .k = 65536};
  const double unsplit_s = 2.0 * 64 * 64 * 65536 / (kRate / 100);
  EXPECT_LT(seconds(product), unsplit_s);
}

TEST(MatMulTime, SmallProductsSideBySideShareTheWaves) {
  const MatMul one{.m = 128, .n = 256, .k = 4096};
  MatMul hundred = one;
  hundred.count = 100;
  EXPECT_LT(seconds(hundred) - kLaunch, 50 * (seconds(one) - kLaunch));
  EXPECT_DOUBLE_EQ(seconds(hundred), seconds(kFullWave));
}

TEST(MatMulTime, OfThinProductsIsThatOfTheirBytes) {
  const MatMul product{.m = 1, .n = 8192, .k = 8192, .count = 16};
  MatMulRates rates = plain_rates();
  rates.bytes_per_s = 1e12;
  const double bytes = 16 * 2.0 * (8192 + 8192.0 * 8192 + 8192);
  EXPECT_DOUBLE_EQ(matmul_time(product, rates).seconds(), kLaunch + 1.1 * bytes / 1e12);
}

TEST(MatMulTime, AccumulatingResultIsReadAndWrittenInFp32) {
  const MatMul product{.m = 8192, .n = 8192, .k = 1, .accumulates_fp32 = true};
  MatMulRates rates = plain_rates();
  rates.bytes_per_s = 1e12;
  const double bytes = 2.0 * (8192 + 8192) + 8.0 * 8192 * 8192;
  EXPECT_DOUBLE_EQ(matmul_time(product, rates).seconds(), kLaunch + 1.1 * bytes / 1e12);
}

TEST(MatMulTime, NarrowOperandsGoThroughKInLongerSteps) {
  MatMulRates narrow = plain_rates();
  narrow.operand_bytes = 1;
  const double tile_s = 2.0 * 128 * 256 * (4096 + 2 * 2 * kStep) / (kRate / 100);
  EXPECT_DOUBLE_EQ(matmul_time(kFullWave, narrow).seconds(), kLaunch + tile_s);
}

TEST(MatMulTime, RepeatsRunOneAfterAnother) {
  MatMul product = kFullWave;
  product.repeats = 3;
  EXPECT_DOUBLE_EQ(seconds(product), 3 * seconds(kFullWave));
}

}  // namespace
}  // namespace trainsim
