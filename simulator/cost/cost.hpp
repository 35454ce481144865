// Kernel (shape, precision) x accelerator x software stack -> seconds, by roofline: the larger of compute time at the
// achievable matrix rate and memory time at the achievable bandwidth, plus the launch of each kernel. The constants and
// their sources are in catalog/accelerators/*.yaml and catalog/stacks/*.yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/hardware.hpp"
#include "workloads/build_program.hpp"
#include "workloads/memory.hpp"

namespace trainsim {

// What kernels achieve on one accelerator: shares of the datasheet's figures. `is_estimated` where no measurement of this
// accelerator is known; the result then says so.
struct KernelEfficiency {
  double matmul = 0.0;             // of peak, large shapes, sustained power
  double attention_forward = 0.0;  // of peak, fused attention, long sequences
  double attention_backward = 0.0;
  double attention_half_length = 0.0;  // sequence length at which fused attention reaches half of that
  double memory = 0.0;             // of memory bandwidth, large sizes
  double launch_s = 0.0;           // fixed time of one kernel on the GPU
  bool is_estimated = false;
  std::string source;
};

// What the code on the GPUs achieves and does by default.
struct Stack {
  std::string name;
  double matmul_factor = 1.0;     // on KernelEfficiency::matmul
  double attention_factor = 1.0;
  double optimizer_bandwidth_factor = 1.0;  // on KernelEfficiency::memory
  KernelPolicy kernels;
  MemoryPolicy memory;
  bool interleaves_by_default = false;
  Overlap overlap;                // defaults of parallelism.overlap
  std::string grad_dtype = "fp32";
  std::string source;
};

// parallelism- and software-independent factors of a user's own calibration (software.tuning); 1 unless set.
struct Tuning {
  double gemm_efficiency_factor = 1.0;
  double attention_efficiency_factor = 1.0;
  double memory_efficiency_factor = 1.0;
  double network_efficiency_factor = 1.0;
};

std::vector<std::string> stack_names();
// Throws std::out_of_range for a name that is not in the list.
Stack catalog_stack(std::string_view name);
// Throws std::out_of_range for an accelerator without an entry.
KernelEfficiency kernel_efficiency(std::string_view accelerator);
std::string_view cost_catalog_sha256();

class CostModel {
 public:
  // Throws std::invalid_argument when the accelerator has no rate for the precision.
  CostModel(const Accelerator& accelerator, const KernelEfficiency& efficiency, const Stack& stack, const Tuning& tuning,
            const std::string& precision);

  [[nodiscard]] double seconds(const Kernel& kernel) const;
  [[nodiscard]] double seconds(const Work& work) const;  // sum over its kernels
  // FLOPs that the kernels of a Work execute (hardware FLOPs: recomputation and unfused work included).
  [[nodiscard]] static double flops(const Work& work);
  // Of a Work's seconds, those in which memory bandwidth rather than arithmetic binds.
  [[nodiscard]] double memory_bound_seconds(const Work& work) const;

 private:
  double matmul_flops_per_s_;
  double attention_forward_flops_per_s_;
  double attention_backward_flops_per_s_;
  double attention_half_length_;
  double memory_bytes_per_s_;
  double optimizer_bytes_per_s_;
  double launch_s_;
  double element_bytes_;
};

}  // namespace trainsim
