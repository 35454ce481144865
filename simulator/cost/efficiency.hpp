// What kernels achieve on one accelerator, as shares of its datasheet: at most twelve constants, read from
// catalog/accelerators/*.yaml, where each has its source.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/sourced_section.hpp"

namespace trainsim {

// What one generation of fused attention achieves under a causal mask, as a share of the accelerator's 16-bit peak.
struct AttentionEfficiency {
  double forward = 0.0;  // over long sequences, heads of 128
  double backward = 0.0;
  double half_length = 0.0;     // keys on which it achieves half of that forward
  double half_head_size = 0.0;  // head size at which it achieves half of what it would on infinitely wide heads
};

struct KernelEfficiency {
  std::map<std::string, double> matmul;          // by precision: of its peak, full tiles of large products, in bursts
  double sustained = 1.0;                        // of matmul that remains in runs of seconds, and
  double power_w = 0.0;                          // the power at which it does; 0: a cap changes nothing
  double matrix_units = 0.0;                     // that share the tiles; 0: the accelerator's processors
  std::map<int, AttentionEfficiency> attention;  // by generation: FlashAttention 1 and 2; 3 is 3 or cuDNN
  double memory = 0.0;                           // of memory bandwidth, large sizes
  double launch_s = 0.0;                         // fixed time of one kernel on the GPU
  std::vector<std::string> estimated;            // keys of the catalog file whose figures are no measurement
  std::string source;                            // one line for every measured figure
  std::vector<WrittenFigure> constants;          // all of them, as the file has them
};

std::vector<std::string> kernel_efficiency_names();
// Throws std::out_of_range for an accelerator without an entry.
KernelEfficiency kernel_efficiency(std::string_view accelerator);
// The same accelerator in runs too short for its power limit to bind, as tables of single kernels are measured.
KernelEfficiency in_bursts(KernelEfficiency efficiency);

// Key of the catalog's `matmul` section for a precision: products of one width share a constant. Empty for an unknown
// precision.
std::string_view matmul_key(std::string_view precision);

}  // namespace trainsim
