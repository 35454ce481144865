#include "workloads/plan.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>

namespace trainsim {

std::int64_t Plan::recomputed_in_chunk(std::int64_t chunk) const {
  if (recompute != RecomputeKind::full) return 0;
  const std::int64_t layers = layers_per_chunk.at(static_cast<std::size_t>(chunk));
  return recomputed_layers == 0 ? layers : std::min(layers, recomputed_layers);
}

std::int64_t Plan::first_layer(std::int64_t chunk) const {
  return std::accumulate(layers_per_chunk.begin(), layers_per_chunk.begin() + chunk, std::int64_t{0});
}

std::vector<std::int64_t> balanced_layers(std::int64_t layers, std::int64_t chunks) {
  assert(layers >= 1 && chunks >= 1);
  const auto count = static_cast<std::size_t>(chunks);
  if (layers % chunks == 0) return std::vector<std::int64_t>(count, layers / chunks);

  // Embedding and loss fill one place each; where there are fewer places than chunks, they still take the two ends.
  const std::int64_t places = layers + 2;
  const std::int64_t each = places / chunks;
  std::vector<std::int64_t> result(count, each);
  if (each == 0) result.front() = result.back() = 1;
  std::int64_t extra = places - each * chunks - (each == 0 ? 2 : 0);
  for (std::size_t middle = 1; middle + 1 < count && extra > 0; ++middle, --extra) ++result[middle];
  if (extra > 0) {
    ++result.front();
    --extra;
  }
  assert(extra == 0);
  --result.front();
  --result.back();
  return result;
}

double element_bytes(const std::string& dtype) {
  if (dtype == "fp32" || dtype == "tf32") return 4;
  if (dtype == "fp16" || dtype == "bf16") return 2;
  if (dtype == "fp8" || dtype == "mxfp8") return 1;
  if (dtype == "nvfp4") return 0.5;
  throw std::invalid_argument("unknown number format '" + dtype + "'");
}

double activation_element_bytes(const std::string& precision) { return std::max(2.0, element_bytes(precision)); }

bool is_below_16_bits(const std::string& precision) {
  return element_bytes(precision) < activation_element_bytes(precision);
}

}  // namespace trainsim
