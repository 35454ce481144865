#include "tests/bench/yardstick.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace trainsim {
namespace {

constexpr std::size_t kValues = 1U << 16U;
constexpr std::uint64_t kDistinct = 1U << 14U;

// The low bits of a linear congruential generator repeat early, the high ones do not.
std::vector<std::uint64_t> fixed_values() {
  std::vector<std::uint64_t> values(kValues);
  std::uint64_t state = 1;
  for (std::uint64_t& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = state >> 20U;
  }
  return values;
}

}  // namespace

void apply_yardstick() {
  static const std::vector<std::uint64_t> unsorted = fixed_values();
  std::vector<std::uint64_t> values = unsorted;
  std::unordered_map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t value : values) ++counts[value % kDistinct];
  std::ranges::sort(values);
  // Read by nobody; a volatile write keeps the compiler from leaving out the work.
  [[maybe_unused]] const volatile std::uint64_t witness = values[kValues / 2] + counts.size();
}

}  // namespace trainsim
