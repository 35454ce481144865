// What one number below 16 bits takes where it is stored: its own bits and its share of the scales.
//
// One scale per tensor (delayed, current) is nothing beside the tensor. fp8 in blocks: fp32 per 128 numbers (arXiv
// 2412.19437, section 3.3; a weight's blocks of 128 x 128 need less). mxfp8: one byte per 32 (OCP Microscaling Formats
// 1.0). nvfp4: one byte per 16 (NVIDIA Transformer Engine, NVFP4 recipe).
#pragma once

#include "workloads/plan.hpp"

namespace trainsim {

// REQUIRES: is_below_16_bits(plan.precision).
double low_precision_bytes(const Plan& plan);

}  // namespace trainsim
