#include "scenarios/calibration/stack_figures.hpp"

#include <fmt/format.h>
#include <map>

namespace trainsim {

std::string StackFigure::text(double figure) const { return fmt::format("{:.4g}{}", figure / unit_value, unit); }

const std::vector<StackFigure>& stack_figures() {
  constexpr double kMicro = 1e-6, kMilli = 1e-3;
  static const std::vector<StackFigure> all = {
      {"efficiency.matmul_factor", "", 1, 1.0, [](const Stack& stack) { return stack.matmul_factor; }},
      {"efficiency.attention_factor", "", 1, 1.0, [](const Stack& stack) { return stack.attention_factor; }},
      {"efficiency.grouped_matmul_factor", "", 1, 1.0, [](const Stack& stack) { return stack.grouped_matmul_factor; }},
      {"efficiency.optimizer_bandwidth_factor", "", 1, 1.0,
       [](const Stack& stack) { return stack.optimizer_bandwidth_factor; }},
      {"kernels.elementwise_pass_factor", "", 1, 1.0,
       [](const Stack& stack) { return stack.kernels.elementwise_pass_factor; }},
      {"kernels.loss_bytes_per_logit", "", 1, 30.0,
       [](const Stack& stack) { return stack.kernels.loss_bytes_per_logit; }},
      {"host.per_kernel", "us", kMicro, 10 * kMicro,
       [](const Stack& stack) { return stack.kernels.host.s_per_kernel; }},
      {"host.per_micro_batch", "us", kMicro, kMilli,
       [](const Stack& stack) { return stack.kernels.host.s_per_micro_batch; }},
      {"host.per_step", "us", kMicro, kMilli, [](const Stack& stack) { return stack.kernels.host.s_per_step; }},
      {"host.stall_per_tensor_rank", "", 1, 0.05, [](const Stack& stack) { return stack.host_stalls.per_tensor_rank; }},
      {"host.stall_per_tensor_rank_across_nodes", "", 1, 0.05,
       [](const Stack& stack) { return stack.host_stalls.per_tensor_rank_across_nodes; }},
      {"noise.overlap_slowdown", "", 1, 0.2, [](const Stack& stack) { return stack.overlap_slowdown; }},
      {"noise.kernel_jitter", "", 1, 0.01, [](const Stack& stack) { return stack.jitter.kernel; }},
      {"noise.chip_spread", "", 1, 0.01, [](const Stack& stack) { return stack.jitter.spread; }},
  };
  return all;
}

std::string stack_file_text(const std::string& base, const std::string& about,
                            const std::vector<std::pair<StackFigure, double>>& figures, const std::string& origin) {
  std::map<std::string, std::string> sections;
  for (const auto& [figure, value] : figures) {
    const std::size_t dot = figure.path.find('.');
    sections[figure.path.substr(0, dot)] +=
        fmt::format("  {}: {{value: {}, source: \"{}\"}}\n", figure.path.substr(dot + 1), figure.text(value), origin);
  }
  std::string text = fmt::format("base: {}\nabout: \"{}\"\n", base, about);
  for (const auto& [section, lines] : sections) text += section + ":\n" + lines;
  return text;
}

}  // namespace trainsim
