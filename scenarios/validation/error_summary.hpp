// How far predictions are off, in a few numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace trainsim {

// predicted / measured - 1, and the size it was measured at: GPUs of a step, bytes of a collective, FLOPs of a kernel.
struct PredictionError {
  double error = 0.0;
  double size = 1.0;
};

struct ErrorSummary {
  std::size_t n = 0;
  double bias = 0.0;              // mean of the signed errors
  double mean = 0.0;              // of their absolute values, as are the next two
  double median = 0.0;            // the middle one; of an even number the mean of both
  double p90 = 0.0;               // the least that nine tenths do not exceed
  double slope_per_decade = 0.0;  // of the signed error over log10(size), least squares; 0 where all sizes are equal
};

// All zero when there are none.
ErrorSummary summarize(const std::vector<PredictionError>& errors);

// Of values in any order, the least that `share` of them (0 to 1) do not exceed. REQUIRES: not empty.
double quantile(std::vector<double> values, double share);

}  // namespace trainsim
