#include "simulator/cost/memory_cost.hpp"

namespace trainsim {

Roofline memory_time(const MemoryBound& kernel, const MemoryRates& rates) {
  const double rate = kernel.is_optimizer ? rates.optimizer_bytes_per_s : rates.bytes_per_s;
  return {0.0, kernel.bytes / rate, kernel.kernels * rates.launch_s};
}

}  // namespace trainsim
