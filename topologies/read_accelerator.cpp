#include <algorithm>

#include "simulator/input/origins.hpp"
#include "topologies/catalog.hpp"
#include "topologies/unknown_name.hpp"

namespace trainsim {
namespace {

constexpr NumberRange kPositive{.low = 0.0, .low_is_open = true};

const std::vector<std::string>& precisions() {
  static const std::vector<std::string> names = {"fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"};
  return names;
}

Accelerator read_name(const Node& node, const std::string& path, ReadContext& context) {
  const auto known = accelerator_names();
  if (std::find(known.begin(), known.end(), node.scalar) != known.end()) {
    Accelerator found = catalog_accelerator(node.scalar);
    found.base = node.scalar;
    return found;
  }
  report_unknown_name(node, path, context, known, later_accelerator_names());
  return {};
}

void read_peaks(MapReader& map, Accelerator& result) {
  const Node* node = map.node("peak");
  if (node == nullptr) return;
  MapReader peaks(*node, map.path_of("peak"), map.context());
  for (const std::string& precision : precisions()) {
    if (const auto rate = peaks.quantity(precision, Unit::flops_per_s, kPositive)) {
      result.peak_flops_per_s[precision] = *rate;
    }
  }
  peaks.finish();
}

}  // namespace

Accelerator read_accelerator(const Node& node, const std::string& path, ReadContext& context) {
  if (node.kind == Node::Kind::scalar) return read_name(node, path, context);
  const SourcedFigures written = split_origins(node, path, context);
  MapReader map(written.figures, path, context);
  Accelerator result;
  if (const Node* base = map.node("base")) {
    result = read_name(*base, map.path_of("base"), context);
  } else {
    for (const char* key : {"peak", "memory", "memory_bandwidth"}) map.require(key);
  }
  result.name = map.text("name").value_or(result.name);
  result.architecture = map.text("architecture").value_or(result.architecture);
  result.processors = static_cast<std::uint32_t>(map.integer("processors", {1, 1 << 16}).value_or(result.processors));
  read_peaks(map, result);
  result.memory_bytes = map.quantity("memory", Unit::bytes, kPositive).value_or(result.memory_bytes);
  result.memory_bandwidth_bytes_per_s =
      map.quantity("memory_bandwidth", Unit::bytes_per_s, kPositive).value_or(result.memory_bandwidth_bytes_per_s);
  result.power_w = map.quantity("power", Unit::watts, kPositive).value_or(result.power_w);
  update_origins(written, result.source, result.estimated);
  map.finish();
  return result;
}

}  // namespace trainsim
