// The kernels that update a rank's parameters at the end of a step.
#pragma once

#include <string>
#include <vector>

#include "workloads/chunk_layout.hpp"
#include "workloads/products.hpp"
#include "workloads/stage_program.hpp"

namespace trainsim {

// `updated`: what this rank updates of its stage (all of it, or its shards).
//
// Every optimizer reads and writes weights, gradients and its state: KernelPolicy::optimizer_bytes_per_parameter is
// Adam's figure with two fp32 moments, and each byte of state that another keeps more or less is read and written.
// Muon (arXiv 2502.16982) orthogonalises each matrix by five Newton-Schulz iterations of three products. Adafactor
// (arXiv 1804.04235) reads the gradient once more for the means of its squares. Weights whose products run below 16
// bits are cast once per step.
Kernels optimizer_kernels(const StageInputs& inputs, const std::vector<ChunkLayout>& layouts,
                          const Parameters& updated);

// Bytes of state (moments, not the master copy) per parameter: adam and adamw two moments, momentum and muon one, sgd
// and adafactor none; adam8bit two of one byte. `state` is the moments' number format. Throws std::invalid_argument for
// another optimizer.
double optimizer_moment_bytes(const std::string& optimizer, const std::string& state);

}  // namespace trainsim
