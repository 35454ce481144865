// Time of what memory bandwidth binds (norms, activations, dropout, residuals, embedding, loss, optimizer):
//
//   kernels x launch + bytes / (share x bandwidth)
//
// so that the bandwidth achieved grows with the size: half of it at launch x share x bandwidth bytes, 5 MB on an A100,
// 17 MB on a B200. What a cache keeps between two kernels is not modelled.
#pragma once

#include "simulator/cost/roofline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct MemoryRates {
  double bytes_per_s = 0.0;
  double optimizer_bytes_per_s = 0.0;
  double launch_s = 0.0;
};

Roofline memory_time(const MemoryBound& kernel, const MemoryRates& rates);

}  // namespace trainsim
