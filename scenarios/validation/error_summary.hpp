// How far predictions are off, in a few numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
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

// The five furthest off, furthest first; of equal ones the earlier. `One` has error().
template <class One>
std::vector<One> worst_of(std::vector<One> compared) {
  constexpr std::size_t kWorst = 5;
  std::ranges::stable_sort(compared, std::greater<>{}, [](const One& one) { return std::abs(one.error()); });
  if (compared.size() > kWorst) compared.erase(compared.begin() + kWorst, compared.end());
  return compared;
}

nlohmann::ordered_json summary_json(const ErrorSummary& summary);
std::string in_percent(double share);  // "12.3", for columns that say so

// Of values in any order, the least that `share` of them (0 to 1) do not exceed. REQUIRES: not empty.
double quantile(std::vector<double> values, double share);

}  // namespace trainsim
