// Time of fused attention:
//
//   launches + FLOPs / (peak x share) x (1 + s0 / keys) x h(d) / h(128) x (1 + processors / (2 blocks))
//
// FLOPs: forward 2 b h q a (d_qk + d_v) over the a keys that a query meets; backward 2 b h q a (3 d_qk + 2 d_v), run as
// wide as the larger of the two. s0, the half length, stands for what each block of queries does besides its products;
// shorter where no mask hides keys. h(d) = (1 + (d0 / d)^2.5)^0.4 over d, the mean of d_qk and d_v forward: the
// exponentials, as many whatever the head size, mostly beside the products; below d0, the half head size, they bind.
// The last factor is the wave that is not full; blocks = b h q / 128. Measured against:
// tests/cost/kernel_tables_test.cpp.
#pragma once

#include "simulator/cost/efficiency.hpp"
#include "simulator/cost/roofline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct AttentionRates {
  double processors = 1.0;
  double peak_flops_per_s = 0.0;  // in 16 bits; 0 without fused attention
  AttentionEfficiency shares;
  double launch_s = 0.0;
};

// REQUIRES: a peak.
Roofline attention_time(const FusedAttention& attention, const AttentionRates& rates);

double attention_flops(const FusedAttention& attention);

}  // namespace trainsim
