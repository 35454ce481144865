#include "scenarios/resolve/describe_node.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/input/quantity.hpp"
#include "topologies/build.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {

using nlohmann::ordered_json;

namespace {

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Writes what a file must not give as zero: such a figure is absent.
void put_positive(ordered_json& json, const char* key, double value, Unit unit) {
  if (value > 0) json[key] = format_quantity(value, unit);
}

// Marks the figure at a dotted key, where it is written, as a guess.
void mark_estimated(ordered_json& json, const std::string& key) {
  const std::size_t dot = key.find('.');
  const auto part = json.find(key.substr(0, dot));
  if (part == json.end()) return;
  if (dot != std::string::npos) {
    mark_estimated(*part, key.substr(dot + 1));
  } else {
    ordered_json figure = {{"value", *part}, {"estimated", true}};
    *part = std::move(figure);
  }
}

// Source and estimates are part of a node: the result tells which figures it rests on.
template <class Spec>
void put_origins(ordered_json& json, const Spec& spec) {
  if (!spec.source.empty()) json["source"] = spec.source;
  for (const std::string& key : spec.estimated) mark_estimated(json, key);
}

ordered_json written_out(const Accelerator& accelerator) {
  ordered_json json = {
      {"name", accelerator.name}, {"architecture", accelerator.architecture}, {"processors", accelerator.processors}};
  if (accelerator.processors == 0) json.erase("processors");
  json["peak"] = ordered_json::object();
  for (const auto& [precision, peak] : accelerator.peak_flops_per_s) {
    json["peak"][precision] = format_quantity(peak, Unit::flops_per_s);
  }
  put_positive(json, "memory", accelerator.memory_bytes, Unit::bytes);
  put_positive(json, "memory_bandwidth", accelerator.memory_bandwidth_bytes_per_s, Unit::bytes_per_s);
  put_positive(json, "power", accelerator.power_w, Unit::watts);
  put_origins(json, accelerator);
  return json;
}

ordered_json describe_accelerator(const Accelerator& accelerator) {
  ordered_json json = written_out(accelerator);
  const bool is_shipped =
      is_one_of(accelerator_names(), accelerator.name) && json == written_out(catalog_accelerator(accelerator.name));
  if (is_shipped) return accelerator.name;
  if (!accelerator.base.empty()) json["base"] = accelerator.base;
  return json;
}

std::string kind_of(IntraKind kind) {
  const auto& entries = node_variants().entries();
  return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.value.kind == kind; })
      ->name;
}

ordered_json describe_intra(const NodeSpec& node) {
  ordered_json json = {{"kind", kind_of(node.intra)}};
  const bool has_nvlink = node.intra != IntraKind::none && node.intra != IntraKind::pcie_tree;
  if (has_nvlink) {
    json["bandwidth"] = format_quantity(node.intra_bandwidth_bytes_per_s, Unit::bytes_per_s);
    json["latency"] = format_quantity(node.intra_latency_s, Unit::seconds);
  }
  if (node.intra == IntraKind::nvlink_mesh && !node.intra_groups.empty()) json["groups"] = node.intra_groups;
  return json;
}

ordered_json describe_pcie(const PcieSpec& pcie) {
  ordered_json json = {{"generation", pcie.generation}, {"lanes", pcie.lanes}};
  if (!pcie.switches.empty()) json["switches"] = pcie.switches;
  json["sockets"] = pcie.sockets;
  json["peer_to_peer"] = pcie.peer_to_peer;
  put_positive(json, "socket_bandwidth", pcie.socket_bandwidth_bytes_per_s, Unit::bytes_per_s);
  json["latency"] = format_quantity(pcie.latency_s, Unit::seconds);
  return json;
}

ordered_json describe_nics(const NicSpec& nics) {
  ordered_json json = {{"count", nics.count}};
  put_positive(json, "bandwidth", nics.bandwidth_bytes_per_s, Unit::bytes_per_s);
  json["attached"] = nics.attached;
  json["gpudirect"] = nics.gpudirect;
  return json;
}

ordered_json written_out(const NodeSpec& node) {
  ordered_json json = {{"name", node.name},
                       {"accelerator", describe_accelerator(node.accelerator)},
                       {"gpus", node.gpus},
                       {"intra", describe_intra(node)},
                       {"pcie", describe_pcie(node.pcie)},
                       {"nics", describe_nics(node.nics)}};
  if (node.gpus_per_tray > 0) json["gpus_per_tray"] = node.gpus_per_tray;
  ordered_json cpu = ordered_json::object();
  put_positive(cpu, "memory", node.cpu_memory_bytes, Unit::bytes);
  put_positive(cpu, "memory_bandwidth", node.cpu_memory_bandwidth_bytes_per_s, Unit::bytes_per_s);
  if (!cpu.empty()) json["cpu"] = std::move(cpu);
  put_positive(json, "power", node.power_w, Unit::watts);
  put_origins(json, node);
  return json;
}

}  // namespace

ordered_json describe_node(const NodeSpec& node) {
  ordered_json json = written_out(node);
  const bool is_shipped = is_one_of(node_names(), node.name) && json == written_out(catalog_node(node.name));
  return is_shipped ? ordered_json(node.name) : json;
}

}  // namespace trainsim
