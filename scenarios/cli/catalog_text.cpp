#include "scenarios/cli/catalog_text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "scenarios/report/figures.hpp"
#include "scenarios/resolve/names.hpp"
#include "topologies/build.hpp"

namespace trainsim {
namespace {

constexpr std::size_t kWidth = 100;

std::string field(std::string_view name, std::string_view value) { return fmt::format("  {:<24}{}\n", name, value); }
std::string_view yes_or_no(bool value) { return value ? "yes" : "no"; }
std::string tflops(double flops_per_s) { return significant(flops_per_s / 1e12) + " TFLOP/s"; }

std::string sources(std::string_view source, const std::vector<std::string>& estimated) {
  std::string text = "  source\n" + wrapped(printable(source), kWidth, 4);
  if (!estimated.empty())
    text += "  estimated\n" + wrapped(printable(fmt::format("{}", fmt::join(estimated, ", "))), kWidth, 4);
  return text;
}

std::string intra_text(const NodeSpec& node) {
  for (const auto& entry : node_variants().entries()) {
    if (entry.value.kind == node.intra) return entry.name;
  }
  return "none";
}

// "nvswitch, 300 GB/s per GPU and direction"; a node without NVLink only has its kind.
std::string interior(const NodeSpec& node) {
  if (node.intra_bandwidth_bytes_per_s <= 0.0) return intra_text(node);
  return fmt::format("{}, {} per GPU and direction", intra_text(node), bandwidth(node.intra_bandwidth_bytes_per_s));
}

std::string nics(const NicSpec& spec) {
  if (spec.count == 0) return "no NICs";
  return fmt::format("{} NICs of {}", spec.count, bandwidth(spec.bandwidth_bytes_per_s));
}

}  // namespace

std::string one_line(const Model& model) {
  return fmt::format("{} parameters, {} layers, hidden size {}", scaled_count(parameter_count(model)), model.layers,
                     grouped(model.hidden_size));
}

std::string one_line(const Accelerator& accelerator) {
  std::string text;
  for (const char* precision : {"bf16", "fp16"}) {
    const auto peak = accelerator.peak_flops_per_s.find(precision);
    if (peak == accelerator.peak_flops_per_s.end()) continue;
    text = fmt::format("{} {}, ", tflops(peak->second), precision);
    break;
  }
  return text + fmt::format("{} at {}, {} W", gibibytes(accelerator.memory_bytes),
                            bandwidth(accelerator.memory_bandwidth_bytes_per_s), significant(accelerator.power_w));
}

std::string one_line(const NodeSpec& node) {
  return fmt::format("{} x {}; {}; {}", node.gpus, node.accelerator.name, interior(node), nics(node.nics));
}

std::string page(const Model& model) {
  std::string text = model.name + "\n";
  text += field("parameters", scaled_count(parameter_count(model)));
  text += field("layers", grouped(model.layers));
  text += field("hidden size", grouped(model.hidden_size));
  text += field("inner size", fmt::format("{}{}", grouped(model.ffn_hidden_size), model.gated_mlp ? ", gated" : ""));
  text += field("attention", fmt::format("{} heads of {}, {} key-value heads, {}", model.attention_heads,
                                         model.head_dim, model.kv_heads, name_of(model.attention)));
  text += field("positions", name_of(model.position));
  text += field("norm", name_of(model.norm));
  text += field("vocabulary", grouped(model.vocab_size) + " tokens");
  text += field("tied embeddings", yes_or_no(model.tied_embeddings));
  return text;
}

std::string page(const Accelerator& accelerator) {
  std::string text = accelerator.name + "\n";
  text += field("architecture", accelerator.architecture);
  text += field("processors", grouped(accelerator.processors));
  for (const auto& [precision, peak] : accelerator.peak_flops_per_s) {
    text += field("peak " + precision, tflops(peak) + " (dense)");
  }
  text += field("memory", fmt::format("{} at {}", gibibytes(accelerator.memory_bytes),
                                      bandwidth(accelerator.memory_bandwidth_bytes_per_s)));
  text += field("power", significant(accelerator.power_w) + " W");
  return text + sources(accelerator.source, accelerator.estimated);
}

std::string page(const NodeSpec& node) {
  std::string text = node.name + "\n";
  text += field("GPUs", fmt::format("{} x {}", node.gpus, node.accelerator.name));
  if (trays_of(node) > 1) {
    text += field("trays", fmt::format("{} of {} GPUs; PCIe and host memory below are those of one", trays_of(node),
                                       gpus_of_tray(node)));
  }
  text += field("between GPUs", interior(node));
  text += field("latency between GPUs", duration(node.intra_latency_s));
  text += field("PCIe", fmt::format("generation {}, {} lanes, {} per direction", node.pcie.generation, node.pcie.lanes,
                                    bandwidth(node.pcie.lane_group_bandwidth_bytes_per_s)));
  text += field("PCIe switches", fmt::format("{} on {} sockets", node.pcie.switches.size(), node.pcie.sockets));
  text += field("PCIe peer-to-peer", yes_or_no(node.pcie.peer_to_peer));
  text += field("network", node.nics.count == 0 ? nics(node.nics)
                                                : fmt::format("{} per direction, {}, GPUDirect {}", nics(node.nics),
                                                              node.nics.attached, yes_or_no(node.nics.gpudirect)));
  text += field("host memory", fmt::format("{} at {}", gibibytes(node.cpu_memory_bytes),
                                           bandwidth(node.cpu_memory_bandwidth_bytes_per_s)));
  text += field("power", significant(node.power_w) + " W");
  return text + sources(node.source, node.estimated);
}

std::string page(const Stack& stack) {
  std::string text = stack.name + "\n" + wrapped(stack.about, kWidth, 2);
  text += field("flash attention", fmt::format("{}", stack.kernels.flash_attention));
  text += field("matrix product factor", significant(stack.matmul_factor));
  text += field("attention factor", significant(stack.attention_factor));
  text += field("gradients", stack.grad_dtype);
  text += field("overlaps gradients", yes_or_no(stack.overlap.gradient_reduce));
  text += field("overlaps parameters", yes_or_no(stack.overlap.parameter_gather));
  text += field("overlaps tensor", yes_or_no(stack.overlap.tensor));
  text += field("overlaps pipeline", yes_or_no(stack.overlap.pipeline));
  text += field("bucket", significant(stack.overlap.bucket_bytes / 1e6) + " MB");
  return text + sources(stack.source, stack.estimated);
}

}  // namespace trainsim
