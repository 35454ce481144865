#include "simulator/cost/cost.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "workloads/plan.hpp"

namespace trainsim {
namespace {

// Products below 16 bits come near their rate below the power limit. In runs on H100 capped at 500 of 700 W their gain
// over bf16 is 1.86 (torchtitan), on uncapped ones 1.51 (NeMo, MLPerf): they lose 0.4 of what bf16 loses (logarithms of
// the rates).
constexpr double kNarrowPowerExponent = 0.4;

bool is_16_bits(const std::string& precision) { return precision == "fp16" || precision == "bf16"; }

template <class Value>
std::string keys_of(const std::map<std::string, Value>& map) {
  std::string list;
  for (const auto& entry : map) list += (list.empty() ? "" : ", ") + entry.first;
  return list;
}

double power_factor(const Accelerator& accelerator, const KernelEfficiency& efficiency, const std::string& precision) {
  if (efficiency.power_w <= 0.0 || accelerator.power_w <= 0.0) return 1.0;
  const double share = std::min(1.0, accelerator.power_w / efficiency.power_w);
  return is_below_16_bits(precision) ? std::pow(share, kNarrowPowerExponent) : share;
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
  return peak->second * share->second * efficiency.sustained * power_factor(accelerator, efficiency, precision);
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

double flops_of(const MatMul& product) { return matmul_flops(product); }
double flops_of(const FusedAttention& attention) { return attention_flops(attention); }
double flops_of(const MemoryBound& /*kernel*/) { return 0.0; }
double flops_of(const HostTime& /*host*/) { return 0.0; }

double processors_of(const Accelerator& accelerator) {
  return std::max(1.0, static_cast<double>(accelerator.processors));
}

}  // namespace

CostModel::CostModel(const Accelerator& accelerator, const KernelEfficiency& efficiency, const Stack& stack,
                     const Tuning& tuning, const std::string& precision)
    : grouped_matmul_factor_(stack.grouped_matmul_factor) {
  const std::string wide = is_below_16_bits(precision) ? "bf16" : precision;
  const double matmul_factor = stack.matmul_factor * tuning.gemm_efficiency_factor;
  memory_.bytes_per_s = accelerator.memory_bandwidth_bytes_per_s * efficiency.memory * tuning.memory_efficiency_factor;
  memory_.optimizer_bytes_per_s = memory_.bytes_per_s * stack.optimizer_bandwidth_factor;
  memory_.launch_s = efficiency.launch_s;

  wide_matmul_.processors = efficiency.matrix_units > 0.0 ? efficiency.matrix_units : processors_of(accelerator);
  wide_matmul_.flops_per_s = matmul_rate(accelerator, efficiency, wide) * matmul_factor;
  wide_matmul_.bytes_per_s = memory_.bytes_per_s;
  wide_matmul_.operand_bytes = activation_element_bytes(precision);
  wide_matmul_.result_bytes = activation_element_bytes(precision);
  wide_matmul_.launch_s = efficiency.launch_s;
  matmul_ = wide_matmul_;
  matmul_.flops_per_s = matmul_rate(accelerator, efficiency, precision) * matmul_factor;
  matmul_.operand_bytes = element_bytes(precision);
  if (stack.kernels.flash_attention == 0) return;

  if (!is_16_bits(wide)) {
    throw std::invalid_argument("flash attention computes in 16 bits, not in " + precision +
                                "; use software.flash_attention: 0");
  }
  attention_.processors = processors_of(accelerator);
  attention_.peak_flops_per_s =
      accelerator.peak_flops_per_s.at(wide) * stack.attention_factor * tuning.attention_efficiency_factor;
  attention_.shares = attention_of(accelerator, efficiency, stack.kernels.flash_attention);
  attention_.launch_s = efficiency.launch_s;
}

Roofline CostModel::roofline(const MatMul& product) const {
  MatMulRates rates = product.stays_16_bit ? wide_matmul_ : matmul_;
  if (product.is_grouped) rates.flops_per_s *= grouped_matmul_factor_;
  return matmul_time(product, rates);
}

Roofline CostModel::roofline(const FusedAttention& attention) const { return attention_time(attention, attention_); }

Roofline CostModel::roofline(const MemoryBound& kernel) const { return memory_time(kernel, memory_); }

Roofline CostModel::roofline(const HostTime& host) { return {0.0, 0.0, host.seconds}; }

double CostModel::seconds(const Kernel& kernel) const {
  return std::visit([this](const auto& shape) { return roofline(shape).seconds(); }, kernel);
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
