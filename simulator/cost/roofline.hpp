// Where the time of one kernel goes.
#pragma once

#include <algorithm>

namespace trainsim {

// Arithmetic and memory traffic run beside each other; what is fixed comes before both.
struct Roofline {
  double compute_s = 0.0;
  double memory_s = 0.0;
  double fixed_s = 0.0;  // launches, host time

  [[nodiscard]] double seconds() const { return fixed_s + std::max(compute_s, memory_s); }
};

}  // namespace trainsim
