// Reads catalog/accelerators. A fault in a shipped file is an InputError; the tests read them all.
#include <algorithm>
#include <array>

#include "simulator/cost/catalog_files.hpp"
#include "simulator/cost/cost.hpp"
#include "simulator/input/embedded_document.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

constexpr NumberRange kShare{0.0, 1.0, true};
constexpr IntegerRange kFusedGenerations{1, 3};

EmbeddedFolder accelerator_files() { return cost_catalog_files().below("catalog/accelerators/"); }

struct Width {
  std::string_view precision;
  std::string_view key;
};
// TF32 runs on the matrix units of the 16-bit formats and reaches the same share of its own peak.
constexpr std::array kWidths = {Width{"fp32", "32-bit"}, Width{"tf32", "16-bit"}, Width{"fp16", "16-bit"},
                                Width{"bf16", "16-bit"}, Width{"fp8", "8-bit"},   Width{"mxfp8", "8-bit"},
                                Width{"nvfp4", "4-bit"}};

void read_matmul(MapReader& file, KernelEfficiency& efficiency, FileOrigins& origins) {
  SourcedSection section(file, "matmul");
  std::map<std::string_view, double> shares;
  for (const char* key : {"32-bit", "16-bit", "8-bit", "4-bit"}) {
    const Node* node = section.figure(key, false);
    if (node == nullptr) continue;
    shares[key] = read_number(*node, section.path_of(key), section.context(), kShare).value_or(0.0);
  }
  // Vector units reach about the share that matrix units do, where the file does not say.
  if (!shares.contains("32-bit")) shares["32-bit"] = shares["16-bit"];
  for (const Width& width : kWidths) {
    const auto share = shares.find(width.key);
    if (share != shares.end()) efficiency.matmul[std::string(width.precision)] = share->second;
  }
  efficiency.sustained = section.number("sustained", kShare);
  const Node* units = section.figure("units", false);
  if (units != nullptr) {
    efficiency.matrix_units = read_number(*units, section.path_of("units"), section.context()).value_or(0.0);
  }
  section.finish();
  origins.add(section);
}

// The shares of the newest generation; those of older ones relative to it.
// FlashAttention 1 is slow enough for exponentials to hide at every head size, and for short sequences to fill its
// blocks: half_length fitted to the charts of arXiv 2307.08691 (A100, H100, heads of 64 and 128).
AttentionEfficiency first_generation(AttentionEfficiency newest) {
  constexpr double kHalfLength = 240.0;
  newest.half_length = std::min(newest.half_length, kHalfLength);
  newest.half_head_size = 0.0;
  return newest;
}

void read_attention(MapReader& file, KernelEfficiency& efficiency, FileOrigins& origins) {
  if (!file.has("attention")) return;
  SourcedSection section(file, "attention");
  AttentionEfficiency newest;
  newest.forward = section.number("forward", kShare);
  newest.backward = section.number("backward", kShare);
  newest.half_length = section.number("half_length");
  newest.half_head_size = section.number("half_head_size");
  const Node* generation = section.figure("generation");
  if (generation != nullptr) {
    const auto number = read_integer(*generation, section.path_of("generation"), section.context(), kFusedGenerations);
    efficiency.attention[static_cast<int>(number.value_or(1))] = newest;
  }
  for (const int older : {1, 2}) {
    const std::string key = "flash_" + std::to_string(older);
    const Node* node = section.figure(key, false);
    if (node == nullptr) continue;
    const double share = read_number(*node, section.path_of(key), section.context(), kShare).value_or(0.0);
    efficiency.attention[older] = older == 1 ? first_generation(newest) : newest;
    efficiency.attention[older].forward *= share;
    efficiency.attention[older].backward *= share;
  }
  section.finish();
  origins.add(section);
}

KernelEfficiency read_kernel_efficiency(const Node& root, ReadContext& context) {
  MapReader file(root, "", context);
  KernelEfficiency efficiency;
  FileOrigins origins;
  read_matmul(file, efficiency, origins);
  read_attention(file, efficiency, origins);
  SourcedSection memory(file, "memory");
  efficiency.memory = memory.number("bandwidth", kShare);
  memory.finish();
  origins.add(memory);
  SourcedSection kernel(file, "kernel");
  efficiency.launch_s = kernel.quantity("launch", Unit::seconds);
  kernel.finish();
  origins.add(kernel);
  file.finish();
  efficiency.estimated = std::move(origins.estimated);
  efficiency.source = std::move(origins.source);
  // Which generation the newest is, is no constant.
  std::erase_if(origins.written, [](const WrittenFigure& figure) { return figure.key == "attention.generation"; });
  efficiency.constants = std::move(origins.written);
  return efficiency;
}

}  // namespace

std::vector<std::string> kernel_efficiency_names() { return accelerator_files().names(); }

std::string_view cost_catalog_sha256() { return cost_catalog_files().sha256(); }

KernelEfficiency kernel_efficiency(std::string_view accelerator) {
  KernelEfficiency efficiency = read_embedded(accelerator_files().find(accelerator), read_kernel_efficiency);
  efficiency.power_w = catalog_accelerator(accelerator).power_w;
  return efficiency;
}

KernelEfficiency in_bursts(KernelEfficiency efficiency) {
  efficiency.sustained = 1.0;
  return efficiency;
}

std::string_view matmul_key(std::string_view precision) {
  for (const Width& width : kWidths) {
    if (width.precision == precision) return width.key;
  }
  return "";
}

}  // namespace trainsim
