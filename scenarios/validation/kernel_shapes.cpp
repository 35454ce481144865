#include "scenarios/validation/kernel_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulator/cost/attention_cost.hpp"

namespace trainsim {
namespace {

constexpr double kMicro = 1e-6;
constexpr double kTera = 1e12;
constexpr double kHalfPrecisionBytes = 2.0;

using Timed = std::optional<TimedKernels>;

Timed product_of(const CsvRow& row, const KernelRule& rule) {
  const auto m = row.number("m"), n = row.number("n"), k = row.number("k"), time_us = row.number("time_us");
  if (!m || !n || !k || !time_us) return std::nullopt;
  MatMul product{.m = *m, .n = *n, .k = *k};
  product.count = row.number("batch").value_or(1.0);
  product.accumulates_fp32 = rule.accumulates_fp32;
  product.is_grouped = rule.is_grouped;
  TimedKernels timed{rule.operation, {product}, *time_us * kMicro, fmt::format("{} x {} x {}", *m, *n, *k)};
  if (product.count > 1) timed.shape += fmt::format(", {} at once", product.count);
  if (rule.cast_kernels > 0.0) {
    timed.kernels.emplace_back(MemoryBound{product.count * *m * *k * rule.cast_bytes_per_element, rule.cast_kernels});
  }
  return timed;
}

// "128", or "192/128" where queries and values differ.
std::optional<std::pair<double, double>> head_sizes(const CsvRow& row) {
  const std::string& text = row.text("head_dim");
  const auto slash = text.find('/');
  try {
    const double qk = std::stod(text);
    return std::pair{qk, slash == std::string::npos ? qk : std::stod(text.substr(slash + 1))};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

double attended(double keys, bool is_causal, double window) {
  if (window > 0.0 && window < keys) return (window * window / 2.0 + window * (keys - window)) / keys;
  return is_causal ? keys / 2.0 : keys;
}

Timed attention_of(const CsvRow& row, const KernelRule& rule) {
  const auto length = row.number("seq"), heads = row.number("heads");
  const auto sizes = head_sizes(row);
  if (!length || !heads || !sizes) return std::nullopt;
  const bool is_causal = row.text("causal") == "1" || row.text("causal") == "True";
  FusedAttention shape{.batch = row.number("batch").value_or(1.0), .heads = *heads, .queries = *length};
  shape.keys = rule.window > 0.0 ? std::min(rule.window, *length) : *length;
  shape.attended_keys = attended(*length, is_causal, rule.window);
  shape.qk_dim = sizes->first;
  shape.v_dim = sizes->second;
  FusedAttention backward = shape;
  backward.is_backward = true;
  static const std::map<std::string, std::string> kDirections = {
      {"fwd", "forward"}, {"bwd", "backward"}, {"fwd+bwd", "both ways"}};
  const auto direction = kDirections.find(row.text("direction"));
  if (direction == kDirections.end()) return std::nullopt;
  TimedKernels timed{rule.operation + " " + direction->second, {}, 0.0, ""};
  if (direction->first != "bwd") timed.kernels.emplace_back(shape);
  if (direction->first != "fwd") timed.kernels.emplace_back(backward);
  double flops = 0.0;
  for (const Kernel& kernel : timed.kernels) flops += attention_flops(std::get<FusedAttention>(kernel));
  const auto time_us = row.number("time_us"), tflops = row.number("tflops");
  if (!time_us && (!tflops || *tflops <= 0.0)) return std::nullopt;
  timed.measured_s = time_us ? *time_us * kMicro : flops / (*tflops * kTera);
  timed.shape = fmt::format("{} of {}, {} heads of {}{}", shape.batch, *length, *heads, row.text("head_dim"),
                            is_causal ? ", causal" : "");
  return timed;
}

Timed pass_of(const CsvRow& row, const KernelRule& rule) {
  const auto bytes = row.number("bytes_moved"), time_us = row.number("time_us");
  if (!bytes || !time_us || *bytes <= 0.0) return std::nullopt;
  return TimedKernels{rule.operation,
                      {MemoryBound{*bytes, 1}},
                      *time_us * kMicro,
                      fmt::format("{} {}", row.text("op"), row.text("shape"))};
}

// Of one rank that holds experts / expert degree of them, equally loaded: into a gated layer of twice its width, out.
Timed experts_of(const CsvRow& row, const KernelRule& rule) {
  const auto tokens = row.number("num_tokens"), hidden = row.number("hidden"), width = row.number("moe_inter");
  const auto top = row.number("topk"), experts = row.number("num_experts"), time_us = row.number("time_us");
  const auto tensor = row.number("moe_tp"), degree = row.number("moe_ep");
  if (!tokens || !hidden || !width || !top || !experts || !time_us || !tensor || !degree) return std::nullopt;
  const double rows = *tokens * *top / *degree;
  const double busy = std::max(1.0, std::min(rows, *experts / *degree));
  const double inner = *width / *tensor;
  const MatMul in{.m = rows / busy, .n = 2 * inner, .k = *hidden, .count = busy, .is_grouped = true};
  const MatMul out{.m = rows / busy, .n = *hidden, .k = inner, .count = busy, .is_grouped = true};
  const double gate_bytes = 3 * rows * inner * kHalfPrecisionBytes;
  const double moved_bytes = 2 * 2 * rows * *hidden * kHalfPrecisionBytes;  // to the experts' order and back
  return TimedKernels{rule.operation,
                      {in, MemoryBound{gate_bytes, 1}, out, MemoryBound{moved_bytes, 2}},
                      *time_us * kMicro,
                      fmt::format("{} tokens, {} x {}, top {} of {}, tp {} ep {}", *tokens, *hidden, *width, *top,
                                  *experts, *tensor, *degree)};
}

}  // namespace

std::optional<TimedKernels> timed_kernels(const std::string& table, const CsvRow& row, const KernelRule& rule) {
  static const std::map<std::string, Timed (*)(const CsvRow&, const KernelRule&)> kReaders = {
      {"gemm", product_of}, {"attention", attention_of}, {"memory_bound", pass_of}, {"moe_gemm", experts_of}};
  return kReaders.at(table)(row, rule);
}

}  // namespace trainsim
