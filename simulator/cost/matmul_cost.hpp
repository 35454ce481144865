// Time of matrix products by tiles and waves. A kernel cuts C into tiles of TM x TN, and k into `split` pieces; the
// processors take the pieces of all products in waves, and a wave that is not full costs as much as a full one:
//
//   compute = min over tile, split of  ceil(count ceil(m/TM) ceil(n/TN) split / processors)
//                      x 2 TM TN (ceil(k / split / step) + 2) step / (rate / processors x fit(TM TN))
//                      + what adding up the split results takes
//   memory  = 1.1 x (operands read + result written, once) / bandwidth
//
// A step is a cache line of k; two more stand for filling the pipeline and writing C. fit() is 1 for 128 x 256 and a
// little less for smaller tiles, which load more per FLOP. Assumes that the library chooses the best tile and split.
// Measured against: tests/cost/kernel_tables_test.cpp.
#pragma once

#include "simulator/cost/roofline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct MatMulRates {
  double processors = 1.0;
  double flops_per_s = 0.0;  // of all processors together, on tiles of 128 x 256
  double bytes_per_s = 0.0;
  double operand_bytes = 0.0;  // of one element
  double result_bytes = 0.0;
  double launch_s = 0.0;
};

Roofline matmul_time(const MatMul& product, const MatMulRates& rates);

// 2 m n k of all products.
double matmul_flops(const MatMul& product);

}  // namespace trainsim
