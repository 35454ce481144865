// Kernel (shape, precision) x accelerator x software stack -> seconds. Each kind of kernel has a model of its own
// (matmul_cost.hpp, attention_cost.hpp, memory_cost.hpp); CostModel gives them the rates that one run sees. The
// constants and their sources are in catalog/accelerators/*.yaml and catalog/stacks/*.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/conditions/jitter.hpp"
#include "simulator/cost/attention_cost.hpp"
#include "simulator/cost/efficiency.hpp"
#include "simulator/cost/matmul_cost.hpp"
#include "simulator/cost/memory_cost.hpp"
#include "topologies/hardware.hpp"
#include "workloads/build_program.hpp"
#include "workloads/memory.hpp"

namespace trainsim {

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
// What the catalog says of all stacks, and what the file of one says for itself: numbers are constants, other values
// facts. Throws std::out_of_range for a name that is not in the list.
std::vector<WrittenFigure> shared_stack_figures();
std::vector<WrittenFigure> own_stack_figures(std::string_view name);

// A stack of the user's own: a file with the keys of a catalog file, or `base`, a name of the list, and what is
// different. Throws InputError.
Stack stack_from_file(const std::filesystem::path& path, std::string_view architecture);
std::string_view cost_catalog_sha256();

// Matrix products run at the sustained rate; in_bursts() turns that off. An accelerator capped below the power at which
// its rate was measured runs 16-bit products slower in proportion, narrower ones, which draw less, by less. Where
// products run below 16 bits, those that stay in 16 bits, and fused attention, run in bf16.
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
  [[nodiscard]] Roofline roofline(const MatMul& product) const;
  [[nodiscard]] Roofline roofline(const FusedAttention& attention) const;
  [[nodiscard]] Roofline roofline(const MemoryBound& kernel) const;
  [[nodiscard]] static Roofline roofline(const HostTime& host);

  MatMulRates matmul_;
  MatMulRates wide_matmul_;  // of products that stay in 16 bits
  double grouped_matmul_factor_ = 1.0;
  AttentionRates attention_;
  MemoryRates memory_;
};

}  // namespace trainsim
