#include "simulator/cost/matmul_cost.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace trainsim {
namespace {

constexpr double kFp32ReadAndWriteBytes = 8.0;
constexpr std::array kTileSides = {64.0, 128.0, 256.0};
constexpr std::array kSplits = {1.0, 2.0, 4.0, 8.0};
constexpr double kFullTile = 128.0 * 256.0;  // elements of the tile that the rates are given for
constexpr double kStepBytes = 128.0;         // a tile goes through k in steps of a cache line
constexpr double kPartialBytes = 8.0;        // an fp32 partial sum, written and read

// Fitted over all accelerators together.
constexpr double kFillSteps = 2.0;         // in whose time a tile's pipeline fills and its result leaves
constexpr double kSmallTilePenalty = 0.1;  // how much less a smaller tile reaches
constexpr double kRepeatedReads = 1.1;     // traffic over that of operands read once
constexpr double kReductionLaunch = 0.5;   // of the pass that adds up the results of a split, in launches of a kernel

// Share of the full tile's rate.
double fit_of_tile(double elements) { return 1.0 - kSmallTilePenalty * (kFullTile / elements - 1.0) / 15.0; }

struct Cut {
  double tile_m = 0.0, tile_n = 0.0, split = 0.0;
};

double tiles_s(const MatMul& product, const MatMulRates& rates, const Cut& cut) {
  const double tiles =
      std::ceil(product.count * std::ceil(product.m / cut.tile_m) * std::ceil(product.n / cut.tile_n) * cut.split);
  const double waves = std::ceil(tiles / rates.processors);
  const double step = kStepBytes / rates.operand_bytes;
  const double depth = (std::ceil(product.k / cut.split / step) + kFillSteps) * step;
  const double elements = cut.tile_m * cut.tile_n;
  return waves * 2.0 * elements * depth * rates.processors / (rates.flops_per_s * fit_of_tile(elements));
}

double reduction_s(const MatMul& product, const MatMulRates& rates, double split) {
  if (split == 1.0) return 0.0;
  const double bytes = kPartialBytes * product.count * product.m * product.n * split;
  return kReductionLaunch * rates.launch_s + bytes / rates.bytes_per_s;
}

double compute_s(const MatMul& product, const MatMulRates& rates) {
  double least_s = std::numeric_limits<double>::infinity();
  for (const double split : kSplits) {
    const double extra_s = reduction_s(product, rates, split);
    for (const double tile_m : kTileSides) {
      for (const double tile_n : kTileSides) {
        least_s = std::min(least_s, tiles_s(product, rates, {tile_m, tile_n, split}) + extra_s);
      }
    }
  }
  return least_s;
}

double bytes_of(const MatMul& product, const MatMulRates& rates) {
  const double result_bytes = product.accumulates_fp32 ? kFp32ReadAndWriteBytes : rates.result_bytes;
  return product.count *
         ((product.m * product.k + product.k * product.n) * rates.operand_bytes + product.m * product.n * result_bytes);
}

}  // namespace

Roofline matmul_time(const MatMul& product, const MatMulRates& rates) {
  return {product.repeats * compute_s(product, rates),
          product.repeats * kRepeatedReads * bytes_of(product, rates) / rates.bytes_per_s,
          product.repeats * rates.launch_s};
}

double matmul_flops(const MatMul& product) {
  return 2.0 * product.m * product.n * product.k * product.count * product.repeats;
}

}  // namespace trainsim
