// cluster: a node of the catalog, changed where the row says otherwise, and the network between nodes.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "scenarios/validation/row_sections.hpp"

namespace trainsim {
namespace {

using nlohmann::ordered_json;

constexpr double kGiga = 1e9;
constexpr double kBitsPerByte = 8;

double gbps(const NicSpec& nics) { return nics.bandwidth_bytes_per_s * kBitsPerByte / kGiga; }

// "H100-SXM 96GB HBM2e 2.4TB/s, 500W cap": the catalog's accelerator with other memory or power; null when it is the
// catalog's.
ordered_json changed_accelerator(const TrainingRow& row, const NamedMachine& machine) {
  ordered_json changes;
  const auto memory = row.number("gpu_mem_gb");
  if (memory && *memory * kGiga != machine.memory_bytes) changes["memory"] = fmt::format("{:g}GB", *memory);
  std::smatch rate;
  if (std::regex_search(row.text("gpu"), rate, std::regex(R"((\d+(\.\d+)?)TB/s)"))) {
    changes["memory_bandwidth"] = rate.str();
  }
  const auto power = row.number("gpu_power_w");
  if (power && row.mentions("gpu", "cap")) changes["power"] = fmt::format("{:g}W", *power);
  if (changes.is_null()) return changes;
  ordered_json accelerator = {{"base", machine.node.accelerator.name}};
  accelerator.update(changes);
  return accelerator;
}

// Of a node, towards other nodes; nullopt where the row does not say.
std::optional<double> network_gbps(const TrainingRow& row, const NamedMachine& machine) {
  if (const auto per_gpu = row.number("inter_node_gbps_per_gpu"))
    return *per_gpu * static_cast<double>(machine.node.gpus);
  // "Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s": the last adapters compute.
  static const std::regex kAdapters(R"((\d+)x ?(?:NVIDIA )?(?:ConnectX-7|BF3)[A-Za-z ]* (\d+)Gb)");
  std::optional<double> found;
  const std::string& cell = row.text("inter_node");
  for (std::sregex_iterator match(cell.begin(), cell.end(), kAdapters), end; match != end; ++match) {
    found = std::stod((*match)[1]) * std::stod((*match)[2]);
  }
  // Adapters are listed per tray where a domain has several.
  if (found && machine.node.gpus > 8) *found *= static_cast<double>(machine.node.gpus) / 4.0;
  return found;
}

ordered_json nics(std::int64_t count, double gbps, std::string_view attached) {
  return {{"count", count}, {"bandwidth", fmt::format("{:g}Gb/s", gbps)}, {"attached", attached}, {"gpudirect", true}};
}

// Fewer adapters than the catalog's node has, or others; null when they are the same.
ordered_json changed_nics(const TrainingRow& row, const NamedMachine& machine) {
  const auto total = network_gbps(row, machine);
  const double own = gbps(machine.node.nics) * static_cast<double>(machine.node.nics.count);
  if (!total || *total == own) return {};
  if (*total > own)
    return nics(machine.node.nics.count, *total / static_cast<double>(machine.node.nics.count), "per-gpu");
  return nics(static_cast<std::int64_t>(*total / gbps(machine.node.nics)), gbps(machine.node.nics), "per-switch");
}

// Two GPUs behind each switch.
ordered_json paired_switches(std::int64_t gpus) {
  ordered_json switches = ordered_json::array();
  for (std::int64_t gpu = 0; gpu < gpus; gpu += 2) switches.push_back({gpu, gpu + 1});
  return switches;
}

// Servers with half of the catalog's GPUs in PCI Express slots.
ordered_json half_pcie_server(const TrainingRow& row, const NamedMachine& machine) {
  const double total = network_gbps(row, machine).value_or(gbps(machine.node.nics) * 2);
  return {
      {"base", machine.node.name},
      {"gpus", 4},
      {"pcie",
       {{"generation", 4}, {"lanes", 16}, {"switches", paired_switches(4)}, {"sockets", 2}, {"peer_to_peer", true}}},
      {"nics", nics(2, total / 2, "per-switch")}};
}

bool is_half_pcie_server(const TrainingRow& row, const NamedMachine& machine) {
  return machine.node.intra == IntraKind::pcie_tree && machine.node.gpus > 4 && row.count("gpus_per_node") == 4;
}

ordered_json node(const TrainingRow& row, const NamedMachine& machine, bool has_network) {
  if (is_half_pcie_server(row, machine)) return half_pcie_server(row, machine);
  const bool is_efa = row.mentions("inter_node", "EFA");
  const std::string& base = is_efa && !machine.efa_node.empty() ? machine.efa_node : machine.node.name;
  ordered_json changes;
  if (const ordered_json accelerator = changed_accelerator(row, machine); !accelerator.is_null()) {
    changes["accelerator"] = accelerator;
  }
  if (const ordered_json adapters = has_network ? changed_nics(row, machine) : ordered_json(); !adapters.is_null()) {
    if (adapters["attached"] == "per-switch") changes["pcie"] = {{"switches", paired_switches(machine.node.gpus)}};
    changes["nics"] = adapters;
  }
  if (changes.is_null()) return base;
  ordered_json node = {{"base", base}};
  node.update(changes);
  return node;
}

ordered_json fabric(const TrainingRow& row) {
  ordered_json fabric = ordered_json::object();
  const std::string& network = row.text("inter_node");
  if (network.find("3-level fat tree") != std::string::npos) fabric["kind"] = "fat-tree";
  if (network.find("3-level Clos") != std::string::npos) {  // arXiv 2407.21783, section 3.3.1
    fabric["kind"] = "leaf-spine";
    fabric["levels"] = {{{"name", "leaf"}, {"gpus", 16}},
                        {{"name", "pod"}, {"gpus", 3072}, {"oversubscription", 7}},
                        {{"name", "core"}}};
  }
  if (network.find("EFA") != std::string::npos) fabric["protocol"] = "efa";
  if (network.find("RoCE") != std::string::npos || network.find("ROCE") != std::string::npos) {
    fabric["protocol"] = "roce";
  }
  return fabric;
}

// The most GPUs of a domain that the job can use evenly, whole trays of four.
std::int64_t gpus_per_domain(std::int64_t gpus, std::int64_t domain) {
  for (std::int64_t used = std::min(gpus, domain); used > 4; used -= 4) {
    if (used % 4 == 0 && gpus % used == 0) return used;
  }
  return std::min<std::int64_t>(gpus, 4);
}

std::int64_t used_of_node(const TrainingRow& row, const NamedMachine& machine, std::int64_t gpus) {
  if (machine.node.gpus > 8) return gpus_per_domain(gpus, machine.node.gpus);
  return std::min(gpus, row.count("gpus_per_node").value_or(machine.node.gpus));
}

}  // namespace

ordered_json cluster_section(const TrainingRow& row, RowFindings& findings) {
  const std::int64_t gpus = findings.require(row, "n_gpus", "number of GPUs (n_gpus)");
  const NamedMachine* machine = machine_called(row.text("gpu"));
  if (machine == nullptr) {
    findings.lack(fmt::format("a GPU of the catalog ({})", row.text("gpu")));
    return {};
  }
  const std::int64_t used = used_of_node(row, *machine, gpus);
  if (gpus % used != 0) findings.lack(fmt::format("whole nodes ({} GPUs on nodes of {})", gpus, used));
  const bool has_network = gpus > used;
  const std::int64_t whole = is_half_pcie_server(row, *machine) ? 4 : machine->node.gpus;
  ordered_json cluster;
  if (has_network || used == whole) {
    cluster["nodes"] = gpus / used;
    if (used != whole) cluster["gpus_per_node"] = used;
  } else {
    cluster["gpus"] = gpus;
  }
  cluster["node"] = node(row, *machine, has_network);
  const ordered_json network = fabric(row);
  if (has_network && !network.empty()) cluster["fabric"] = network;
  return cluster;
}

}  // namespace trainsim
