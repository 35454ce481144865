// Kernel (shape, precision) x accelerator x software stack -> seconds, by roofline: the larger of compute time at the
// achievable matrix rate and memory time at the achievable bandwidth, plus the launch of each kernel. The constants and
// their sources are in catalog/accelerators/*.yaml and catalog/stacks/*.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/conditions/jitter.hpp"
#include "topologies/hardware.hpp"
#include "workloads/build_program.hpp"
#include "workloads/memory.hpp"

namespace trainsim {

// What one generation of fused attention achieves on long sequences, as a share of the accelerator's 16-bit peak. On s
// keys it achieves share x s / (s + half length).
struct AttentionEfficiency {
  double forward = 0.0;
  double backward = 0.0;
  double forward_half_length = 0.0;
  double backward_half_length = 0.0;
};

// What kernels achieve on one accelerator: shares of the datasheet's figures. The result says which of those it
// used are estimated.
struct KernelEfficiency {
  std::map<std::string, double> matmul;  // by precision: of its peak, large shapes, sustained power
  std::map<int, AttentionEfficiency>
      attention;                       // by generation: FlashAttention 1 and 2; 3 is FlashAttention 3 or cuDNN
  double memory = 0.0;                 // of memory bandwidth, large sizes
  double launch_s = 0.0;               // fixed time of one kernel on the GPU
  std::vector<std::string> estimated;  // keys of the catalog file whose figures are no measurement of this part
  std::string source;                  // one line for every measured figure
};

// A tensor-parallel collective waits for the slowest of its ranks' hosts. Rare stalls of single hosts make that wait
// grow with their number: launches take 1 + stall x (ranks - 1) times as long.
struct HostStalls {
  double per_tensor_rank = 0.0;
  double per_tensor_rank_across_nodes = 0.0;  // instead, where pipeline stages lie on several nodes
};

// What the code on the GPUs achieves and does by default.
struct Stack {
  std::string name;
  std::string about;                        // one line, shown by `trainsim list stacks`
  double matmul_factor = 1.0;               // on KernelEfficiency::matmul
  double batched_matmul_factor = 1.0;       // further, on products of which several run at once (unfused attention)
  double grouped_matmul_factor = 1.0;       // further, on products of which each expert has one
  double attention_factor = 1.0;            // on KernelEfficiency::attention
  double optimizer_bandwidth_factor = 1.0;  // on KernelEfficiency::memory
  KernelPolicy kernels;
  HostStalls host_stalls;
  double overlap_slowdown = 0.0;  // a kernel takes 1 + this times as long beside a collective
  Jitter jitter;
  MemoryPolicy memory;
  bool reduces_every_micro_batch = false;  // with sharded gradients, no accumulation over micro-batches before reducing
  bool balances_context = true;            // context ranks share causal work equally
  ScalingKind scaling = ScalingKind::current;  // of products below 16 bits, where the file does not say
  Overlap overlap;                             // defaults of parallelism.overlap
  double bucket_bytes_per_data_rank = 0.0;     // a bucket is at least so many times the ranks that reduce it
  std::string grad_dtype = "fp32";
  std::vector<std::string> estimated;  // keys of the catalog file whose figures have no source
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
// `architecture` is the accelerator's: a stack may choose its attention kernel by it. Throws std::out_of_range for a
// name that is not in the list.
Stack catalog_stack(std::string_view name, std::string_view architecture = "");
// A stack of the user's own: a file with the keys of a catalog file, or `base`, a name of the list, and what is
// different. Throws InputError.
Stack stack_from_file(const std::filesystem::path& path, std::string_view architecture);
std::vector<std::string> kernel_efficiency_names();
// Throws std::out_of_range for an accelerator without an entry.
KernelEfficiency kernel_efficiency(std::string_view accelerator);
std::string_view cost_catalog_sha256();

// Seconds of a kernel on one accelerator under one stack:
//   MatMul          launch + max(2 m n k count / (peak x efficiency x factors), bytes / memory rate), bytes = operands
//                   read and result written once; a result that adds into fp32 is read and written in fp32
//   FusedAttention  launch + FLOPs / (16-bit peak x share x s / (s + half length)), s the keys; forward 2 b h q a (d+v)
//                   FLOPs over the a keys that a query meets, 2.5 times as many backward
//   MemoryBound     kernels x launch + bytes / memory rate
//   HostTime        its seconds
// Several products at once (count > 1, or grouped) run at the stack's share of the rate. Where products run below 16
// bits, those that stay in 16 bits, and fused attention, run in bf16. Waves of thread blocks are not modelled.
class CostModel {
 public:
  // Throws std::invalid_argument when the accelerator has no rate for the precision, or none for the stack's generation
  // of fused attention.
  CostModel(const Accelerator& accelerator, const KernelEfficiency& efficiency, const Stack& stack,
            const Tuning& tuning, const std::string& precision);

  // REQUIRES for FusedAttention: a stack with flash attention.
  [[nodiscard]] double seconds(const Kernel& kernel) const;
  [[nodiscard]] double seconds(const Work& work) const;  // sum over its kernels
  // FLOPs that the kernels of a Work execute (hardware FLOPs: recomputation and unfused work included).
  [[nodiscard]] static double flops(const Work& work);
  // Of a Work's seconds, those in which memory bandwidth rather than arithmetic binds (launches left out).
  [[nodiscard]] double memory_bound_seconds(const Work& work) const;

 private:
  struct Roofline {
    double compute_s = 0.0;
    double memory_s = 0.0;
    double fixed_s = 0.0;  // launches, host time
  };
  [[nodiscard]] double several_products_factor(const MatMul& product) const;
  [[nodiscard]] Roofline roofline(const MatMul& product) const;
  [[nodiscard]] Roofline roofline(const FusedAttention& attention) const;
  [[nodiscard]] Roofline roofline(const MemoryBound& kernel) const;
  [[nodiscard]] Roofline roofline(const HostTime& host) const;

  double matmul_flops_per_s_ = 0.0;
  double wide_matmul_flops_per_s_ = 0.0;  // of products that stay in 16 bits
  double batched_matmul_factor_ = 1.0;
  double grouped_matmul_factor_ = 1.0;
  double attention_forward_flops_per_s_ = 0.0;  // 0 without fused attention
  double attention_backward_flops_per_s_ = 0.0;
  double attention_forward_half_length_ = 0.0;
  double attention_backward_half_length_ = 0.0;
  double memory_bytes_per_s_ = 0.0;
  double optimizer_bytes_per_s_ = 0.0;
  double launch_s_ = 0.0;
  double operand_bytes_ = 0.0;       // of one element that a product reads
  double wide_element_bytes_ = 0.0;  // of one element that it writes, or reads where it stays in 16 bits
};

}  // namespace trainsim
