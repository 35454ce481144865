#include "workloads/low_precision.hpp"

#include <cassert>

namespace trainsim {
namespace {

// One byte per block of 32 or 16 numbers, or fp32 per 128; low_precision.hpp has the sources.
double scale_bytes(const Plan& plan) {
  if (plan.precision == "mxfp8") return 1.0 / 32;
  if (plan.precision == "nvfp4") return 1.0 / 16;
  return plan.scaling == ScalingKind::blockwise ? 4.0 / 128 : 0.0;
}

}  // namespace

double low_precision_bytes(const Plan& plan) {
  assert(is_below_16_bits(plan.precision));
  return element_bytes(plan.precision) + scale_bytes(plan);
}

}  // namespace trainsim
