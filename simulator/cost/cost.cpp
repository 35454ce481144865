#include "simulator/cost/cost.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "workloads/plan.hpp"

namespace trainsim {
namespace {

constexpr double kFp32ReadAndWriteBytes = 8.0;
constexpr double kBackwardFlopsPerForwardFlop = 2.5;  // five products instead of two

bool is_16_bits(const std::string& precision) { return precision == "fp16" || precision == "bf16"; }

template <class Value>
std::string keys_of(const std::map<std::string, Value>& map) {
  std::string list;
  for (const auto& entry : map) list += (list.empty() ? "" : ", ") + entry.first;
  return list;
}

// Achievable dense rate, FLOP/s.
double matmul_rate(const Accelerator& accelerator, const KernelEfficiency& efficiency, const std::string& precision) {
  const auto peak = accelerator.peak_flops_per_s.find(precision);
  if (peak == accelerator.peak_flops_per_s.end()) {
    throw std::invalid_argument(accelerator.name + " has no " + precision + " rate; it has " +
                                keys_of(accelerator.peak_flops_per_s));
  }
  const auto share = efficiency.matmul.find(precision);
  if (share == efficiency.matmul.end()) {
    throw std::invalid_argument("no efficiency of " + precision + " products is known for " + accelerator.name +
                                "; known are " + keys_of(efficiency.matmul));
  }
  return peak->second * share->second;
}

const AttentionEfficiency& attention_of(const Accelerator& accelerator, const KernelEfficiency& efficiency,
                                        int generation) {
  const auto found = efficiency.attention.find(generation);
  if (found != efficiency.attention.end()) return found->second;
  std::string known = "0";
  for (const auto& entry : efficiency.attention) known += ", " + std::to_string(entry.first);
  throw std::invalid_argument("flash attention " + std::to_string(generation) + " has no rates on " + accelerator.name +
                              "; possible are " + known);
}

double flops_of(const MatMul& product) {
  return 2.0 * product.m * product.n * product.k * product.count * product.repeats;
}

double flops_of(const FusedAttention& attention) {
  const double forward = 2.0 * attention.batch * attention.heads * attention.queries * attention.attended_keys *
                         (attention.qk_dim + attention.v_dim);
  return forward * (attention.is_backward ? kBackwardFlopsPerForwardFlop : 1.0);
}

double flops_of(const MemoryBound& /*kernel*/) { return 0.0; }
double flops_of(const HostTime& /*host*/) { return 0.0; }

}  // namespace

CostModel::CostModel(const Accelerator& accelerator, const KernelEfficiency& efficiency, const Stack& stack,
                     const Tuning& tuning, const std::string& precision) {
  const std::string wide = is_below_16_bits(precision) ? "bf16" : precision;
  const double matmul_factor = stack.matmul_factor * tuning.gemm_efficiency_factor;
  matmul_flops_per_s_ = matmul_rate(accelerator, efficiency, precision) * matmul_factor;
  wide_matmul_flops_per_s_ = matmul_rate(accelerator, efficiency, wide) * matmul_factor;
  batched_matmul_factor_ = stack.batched_matmul_factor;
  grouped_matmul_factor_ = stack.grouped_matmul_factor;
  memory_bytes_per_s_ = accelerator.memory_bandwidth_bytes_per_s * efficiency.memory * tuning.memory_efficiency_factor;
  optimizer_bytes_per_s_ = memory_bytes_per_s_ * stack.optimizer_bandwidth_factor;
  launch_s_ = efficiency.launch_s;
  operand_bytes_ = element_bytes(precision);
  wide_element_bytes_ = activation_element_bytes(precision);
  if (stack.kernels.flash_attention == 0) return;

  if (!is_16_bits(wide)) {
    throw std::invalid_argument("flash attention computes in 16 bits, not in " + precision +
                                "; use software.flash_attention: 0");
  }
  const AttentionEfficiency& attention = attention_of(accelerator, efficiency, stack.kernels.flash_attention);
  const auto peak = accelerator.peak_flops_per_s.find(wide);
  const double rate = peak->second * stack.attention_factor * tuning.attention_efficiency_factor;
  attention_forward_flops_per_s_ = rate * attention.forward;
  attention_backward_flops_per_s_ = rate * attention.backward;
  attention_forward_half_length_ = attention.forward_half_length;
  attention_backward_half_length_ = attention.backward_half_length;
}

double CostModel::several_products_factor(const MatMul& product) const {
  if (product.is_grouped) return grouped_matmul_factor_;
  return product.count > 1.0 ? batched_matmul_factor_ : 1.0;
}

CostModel::Roofline CostModel::roofline(const MatMul& product) const {
  const double rate =
      (product.stays_16_bit ? wide_matmul_flops_per_s_ : matmul_flops_per_s_) * several_products_factor(product);
  const double operand_bytes = product.stays_16_bit ? wide_element_bytes_ : operand_bytes_;
  const double result_bytes = product.accumulates_fp32 ? kFp32ReadAndWriteBytes : wide_element_bytes_;
  const double bytes =
      ((product.m * product.k + product.k * product.n) * operand_bytes + product.m * product.n * result_bytes) *
      product.count * product.repeats;
  return {flops_of(product) / rate, bytes / memory_bytes_per_s_, launch_s_ * product.repeats};
}

CostModel::Roofline CostModel::roofline(const FusedAttention& attention) const {
  assert(attention_forward_flops_per_s_ > 0.0);
  const double rate = attention.is_backward ? attention_backward_flops_per_s_ : attention_forward_flops_per_s_;
  const double half_length = attention.is_backward ? attention_backward_half_length_ : attention_forward_half_length_;
  const double flops = flops_of(attention);
  const double compute_s = flops > 0.0 ? flops / rate * (attention.keys + half_length) / attention.keys : 0.0;
  return {compute_s, 0.0, launch_s_};
}

CostModel::Roofline CostModel::roofline(const MemoryBound& kernel) const {
  const double rate = kernel.is_optimizer ? optimizer_bytes_per_s_ : memory_bytes_per_s_;
  return {0.0, kernel.bytes / rate, kernel.kernels * launch_s_};
}

CostModel::Roofline CostModel::roofline(const HostTime& host) const { return {0.0, 0.0, host.seconds}; }

double CostModel::seconds(const Kernel& kernel) const {
  const Roofline roof = std::visit([this](const auto& shape) { return roofline(shape); }, kernel);
  return roof.fixed_s + std::max(roof.compute_s, roof.memory_s);
}

double CostModel::seconds(const Work& work) const {
  double sum = 0.0;
  for (const Kernel& kernel : work.kernels) sum += seconds(kernel);
  return sum;
}

double CostModel::flops(const Work& work) {
  double sum = 0.0;
  for (const Kernel& kernel : work.kernels)
    sum += std::visit([](const auto& shape) { return flops_of(shape); }, kernel);
  return sum;
}

double CostModel::memory_bound_seconds(const Work& work) const {
  double sum = 0.0;
  for (const Kernel& kernel : work.kernels) {
    const Roofline roof = std::visit([this](const auto& shape) { return roofline(shape); }, kernel);
    if (roof.memory_s > roof.compute_s) sum += roof.memory_s;
  }
  return sum;
}

}  // namespace trainsim
