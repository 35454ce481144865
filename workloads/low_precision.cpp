#include "workloads/low_precision.hpp"

#include <cassert>

namespace trainsim {
namespace {

double scale_bytes(const Plan& plan) {
  if (plan.precision == "mxfp8") return 1.0 / 32;
  if (plan.precision == "nvfp4") return 1.0 / 16;
  return plan.scaling == ScalingKind::blockwise ? 4.0 / 128 : 0.0;
}

}  // namespace

bool is_below_16_bits(const Plan& plan) { return element_bytes(plan.precision) < 2; }

double low_precision_bytes(const Plan& plan) {
  assert(is_below_16_bits(plan));
  return element_bytes(plan.precision) + scale_bytes(plan);
}

}  // namespace trainsim
