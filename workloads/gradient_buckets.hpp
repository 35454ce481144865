// Gradients of a chunk cut into buckets of equal size, filled in the order of its backward pass; the last one is
// smaller. A bucket may end inside a part, and a part may fill several.
#pragma once

#include <cstddef>
#include <vector>

namespace trainsim {

struct GradientBuckets {
  std::vector<double> parameters;      // by bucket
  std::vector<std::size_t> last_part;  // by bucket: complete when this part's gradients are
};

// `part_parameters` in the order of the backward pass; no buckets when all are 0. Throws std::invalid_argument unless
// bucket_parameters > 0.
GradientBuckets fill_buckets(const std::vector<double>& part_parameters, double bucket_parameters);

}  // namespace trainsim
