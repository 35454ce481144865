#include "workloads/gradient_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace trainsim {
namespace {

// Sums of doubles may miss a bucket's edge by rounding; a sliver of this share of a bucket is no bucket.
constexpr double kRounding = 1e-9;

}  // namespace

GradientBuckets fill_buckets(const std::vector<double>& part_parameters, double bucket_parameters) {
  if (!(bucket_parameters > 0)) throw std::invalid_argument("fill_buckets: a bucket must hold something");
  GradientBuckets buckets;
  const double total = std::accumulate(part_parameters.begin(), part_parameters.end(), 0.0);
  if (total <= 0) return buckets;
  bucket_parameters = std::min(bucket_parameters, total);
  const auto count = static_cast<std::size_t>(std::max(1.0, std::ceil(total / bucket_parameters - kRounding)));
  buckets.parameters.assign(count, bucket_parameters);
  buckets.parameters.back() = total - bucket_parameters * static_cast<double>(count - 1);
  std::size_t last = part_parameters.size() - 1;
  while (part_parameters[last] <= 0) --last;
  buckets.last_part.assign(count, last);

  double end = 0;
  std::size_t open = 0;  // first bucket that is not full
  for (std::size_t part = 0; part < part_parameters.size(); ++part) {
    end += part_parameters[part];
    const auto full = static_cast<std::size_t>(std::floor(end / bucket_parameters + kRounding));
    for (; open < std::min(full, count); ++open) buckets.last_part[open] = part;
  }
  return buckets;
}

}  // namespace trainsim
