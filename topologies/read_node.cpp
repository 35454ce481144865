#include <algorithm>
#include <set>
#include <stdexcept>

#include "simulator/input/origins.hpp"
#include "topologies/build.hpp"
#include "topologies/catalog.hpp"
#include "topologies/unknown_name.hpp"

namespace trainsim {
namespace {

constexpr NumberRange kPositive{.low = 0.0, .low_is_open = true};
constexpr std::int64_t kMostGpus = 1 << 20;
using Groups = std::vector<std::vector<std::uint32_t>>;

NodeSpec read_name(const Node& node, const std::string& path, ReadContext& context) {
  const auto known = node_names();
  if (std::find(known.begin(), known.end(), node.scalar) != known.end()) return catalog_node(node.scalar);
  report_unknown_name(node, path, context, known, later_node_names());
  return {};
}

// Lists of GPU numbers, each GPU at most once.
Groups read_groups(MapReader& map, std::string_view key, std::uint32_t gpus) {
  Groups result;
  const Node* node = map.node(key);
  const std::string allowed = "lists of GPU numbers from 0 to " + std::to_string(gpus - 1) + ", each at most once";
  if (node->kind != Node::Kind::sequence) {
    map.fault(key, "must be a list of lists", allowed);
    return result;
  }
  std::set<std::int64_t> seen;
  for (const Node& group : node->items) {
    auto& members = result.emplace_back();
    if (group.kind != Node::Kind::sequence) report(group, map.path_of(key), map.context(), "must be a list", allowed);
    for (const Node& item : group.items) {
      const auto gpu = read_integer(item, map.path_of(key), map.context(), {0, gpus - 1});
      if (!gpu) continue;
      if (!seen.insert(*gpu).second) {
        report(item, map.path_of(key), map.context(), "names GPU " + std::to_string(*gpu) + " twice", allowed);
      }
      members.push_back(static_cast<std::uint32_t>(*gpu));
    }
  }
  return result;
}

// False when the kind is wrong or later.
bool read_intra_kind(MapReader& map, NodeSpec& result) {
  const std::vector<std::string> later = {"hybrid-cube-mesh", "ici-torus"};
  std::vector<std::string> allowed = node_variants().names();
  allowed.insert(allowed.end(), later.begin(), later.end());
  const auto kind = map.choice("kind", allowed);
  if (!kind) return !map.has("kind");
  if (const NodeVariant* variant = node_variants().find(*kind)) {
    result.intra = variant->kind;
    return true;
  }
  map.fault("kind", "'" + *kind + "' is not supported yet");
  return false;
}

void read_intra_bandwidth(MapReader& map, NodeSpec& result) {
  const auto one_way = map.quantity("bandwidth", Unit::bytes_per_s, kPositive);
  const auto both_ways = map.quantity("bandwidth_bidirectional", Unit::bytes_per_s, kPositive);
  if (one_way && both_ways) map.fault("bandwidth_bidirectional", "is given beside bandwidth", "one of the two");
  if (one_way) result.intra_bandwidth_bytes_per_s = *one_way;
  if (both_ways) result.intra_bandwidth_bytes_per_s = *both_ways / 2.0;
}

void read_intra(MapReader& parent, NodeSpec& result) {
  const Node* node = parent.node("intra");
  if (node == nullptr) return;
  MapReader map(*node, parent.path_of("intra"), parent.context());
  const bool is_known_kind = read_intra_kind(map, result);
  read_intra_bandwidth(map, result);
  result.intra_latency_s = map.quantity("latency", Unit::seconds).value_or(result.intra_latency_s);
  if (map.node("groups") != nullptr) result.intra_groups = read_groups(map, "groups", result.gpus);
  map.finish();
  if (!is_known_kind) return;

  const bool has_nvlink = result.intra != IntraKind::none && result.intra != IntraKind::pcie_tree;
  if (has_nvlink && result.intra_bandwidth_bytes_per_s <= 0.0 && !map.has("bandwidth") &&
      !map.has("bandwidth_bidirectional")) {
    map.fault("bandwidth", "is missing", "bandwidth or bandwidth_bidirectional");
  }
  for (const char* key : {"bandwidth", "bandwidth_bidirectional", "latency"}) {
    if (!has_nvlink && map.has(key))
      map.fault(key, "has no meaning without links between the GPUs", "PCIe figures go under pcie");
  }
  if (result.intra != IntraKind::nvlink_mesh && map.has("groups")) map.fault("groups", "is for an nvlink-mesh only");
  if (!has_nvlink) result.intra_bandwidth_bytes_per_s = result.intra_latency_s = 0.0;
}

void read_pcie(MapReader& parent, NodeSpec& result) {
  const Node* node = parent.node("pcie");
  if (node == nullptr) return;
  MapReader map(*node, parent.path_of("pcie"), parent.context());
  PcieSpec& pcie = result.pcie;
  pcie.generation = static_cast<std::uint32_t>(map.integer("generation", {3, 6}).value_or(pcie.generation));
  pcie.lanes = static_cast<std::uint32_t>(map.integer("lanes", {1, 16}).value_or(pcie.lanes));
  if (map.node("switches") != nullptr) pcie.switches = read_groups(map, "switches", gpus_of_tray(result));
  pcie.sockets = static_cast<std::uint32_t>(map.integer("sockets", {1, 16}).value_or(pcie.sockets));
  pcie.peer_to_peer = map.boolean("peer_to_peer").value_or(pcie.peer_to_peer);
  pcie.socket_bandwidth_bytes_per_s =
      map.quantity("socket_bandwidth", Unit::bytes_per_s, kPositive).value_or(pcie.socket_bandwidth_bytes_per_s);
  pcie.latency_s = map.quantity("latency", Unit::seconds).value_or(pcie.latency_s);
  map.finish();
}

void read_nics(MapReader& parent, NodeSpec& result) {
  const Node* node = parent.node("nics");
  if (node == nullptr) return;
  MapReader map(*node, parent.path_of("nics"), parent.context());
  NicSpec& nics = result.nics;
  nics.count = static_cast<std::uint32_t>(map.integer("count", {0, kMostGpus}).value_or(nics.count));
  nics.bandwidth_bytes_per_s =
      map.quantity("bandwidth", Unit::bytes_per_s, kPositive).value_or(nics.bandwidth_bytes_per_s);
  nics.attached = map.choice("attached", {"per-gpu", "per-switch", "per-socket", "on-gpu"}).value_or(nics.attached);
  nics.gpudirect = map.boolean("gpudirect").value_or(nics.gpudirect);
  if (nics.count > 0 && nics.bandwidth_bytes_per_s <= 0.0 && !map.has("bandwidth")) map.require("bandwidth");
  if (nics.count > 0 && nics.attached == "per-switch" && result.pcie.switches.empty()) {
    map.fault("attached", "is per-switch, but pcie.switches lists none", "per-gpu or per-socket, or list the switches");
  }
  map.finish();
}

void read_cpu(MapReader& parent, NodeSpec& result) {
  const Node* node = parent.node("cpu");
  if (node == nullptr) return;
  MapReader map(*node, parent.path_of("cpu"), parent.context());
  result.cpu_memory_bytes = map.quantity("memory", Unit::bytes, kPositive).value_or(result.cpu_memory_bytes);
  result.cpu_memory_bandwidth_bytes_per_s =
      map.quantity("memory_bandwidth", Unit::bytes_per_s, kPositive).value_or(result.cpu_memory_bandwidth_bytes_per_s);
  map.finish();
}

// What holds for a node that is written out without a base and leaves these to us: three UPI links of 10.4 GT/s, two
// bytes each way (Intel Xeon Scalable processor datasheet), and a switch's cut-through latency.
PcieSpec default_pcie() {
  PcieSpec pcie;
  pcie.socket_bandwidth_bytes_per_s = 3 * 20.8e9;
  pcie.latency_s = 150e-9;
  return pcie;
}

void read_gpus(MapReader& map, NodeSpec& result) {
  const auto gpus = map.integer("gpus", {1, kMostGpus});
  if (!gpus) return;
  const auto count = static_cast<std::uint32_t>(*gpus);
  if (map.has("base") && count <= result.gpus) {
    result = with_gpus(std::move(result), count);
  } else if (map.has("base") && !result.pcie.switches.empty() && map.node("pcie") == nullptr) {
    map.fault("gpus", "is more than the base has, and pcie.switches of the base does not say where they sit",
              "at most " + std::to_string(result.gpus) + ", or write out pcie.switches");
  }
  result.gpus = count;
}

}  // namespace

NodeSpec read_node(const Node& node, const std::string& path, ReadContext& context) {
  if (node.kind == Node::Kind::scalar) return read_name(node, path, context);
  const SourcedFigures written = split_origins(node, path, context, {.apart = "accelerator"});
  MapReader map(written.figures, path, context);
  NodeSpec result;
  result.pcie = default_pcie();
  if (const Node* base = map.node("base")) {
    result = read_name(*base, map.path_of("base"), context);
  } else {
    for (const char* key : {"accelerator", "gpus", "intra"}) map.require(key);
  }
  result.name = map.text("name").value_or(result.name);
  if (const Node* accelerator = map.node("accelerator")) {
    result.accelerator = read_accelerator(*accelerator, map.path_of("accelerator"), context);
  }
  read_gpus(map, result);
  result.gpus_per_tray =
      static_cast<std::uint32_t>(map.integer("gpus_per_tray", {1, kMostGpus}).value_or(result.gpus_per_tray));
  read_intra(map, result);
  read_pcie(map, result);
  result.pcie.lane_group_bandwidth_bytes_per_s = pcie_bandwidth_bytes_per_s(result.pcie.generation, result.pcie.lanes);
  read_nics(map, result);
  read_cpu(map, result);
  map.refuse_later("nvme");
  map.refuse_later("cxl");
  result.power_w = map.quantity("power", Unit::watts, kPositive).value_or(result.power_w);
  update_origins(written, result.source, result.estimated);
  if (result.intra == IntraKind::none && result.gpus > 1 && map.has("intra")) {
    map.fault("gpus", "is more than one, but nothing joins them (intra.kind none)", "intra.kind pcie-tree, or gpus 1");
  }
  map.finish();
  return result;
}

NodeSpec with_gpus(NodeSpec node, std::uint32_t gpus) {
  // Emptied switches stay, so that the GPUs that are left keep their sockets.
  const auto drop_others = [&](Groups& groups) {
    for (auto& group : groups) std::erase_if(group, [&](std::uint32_t gpu) { return gpu >= gpus; });
  };
  drop_others(node.pcie.switches);
  drop_others(node.intra_groups);
  // A mesh of fixed links loses those to the GPUs that go.
  const bool has_fixed_links = node.intra == IntraKind::xgmi_mesh || node.intra == IntraKind::roce_mesh;
  if (has_fixed_links && gpus > 1) node.intra_bandwidth_bytes_per_s *= (gpus - 1.0) / (node.gpus - 1.0);
  const bool is_by_gpu = node.nics.attached == "per-gpu" || node.nics.attached == "on-gpu";
  if (is_by_gpu && node.nics.count > 0) {
    const std::uint64_t scaled = std::uint64_t{node.nics.count} * gpus / node.gpus;
    node.nics.count = static_cast<std::uint32_t>(std::max<std::uint64_t>(scaled, 1));
  }
  node.gpus = gpus;
  return node;
}

double pcie_bandwidth_bytes_per_s(std::uint32_t generation, std::uint32_t lanes) {
  constexpr double kLine = 128.0 / 130.0;
  constexpr double kFlit = 242.0 / 256.0;
  constexpr double kBitsPerByte = 8.0;
  const auto per_lane = [&]() -> double {
    switch (generation) {
      case 3:
        return 8e9 * kLine / kBitsPerByte;
      case 4:
        return 16e9 * kLine / kBitsPerByte;
      case 5:
        return 32e9 * kLine / kBitsPerByte;
      case 6:
        return 64e9 * kFlit / kBitsPerByte;
      default:
        throw std::invalid_argument("PCIe generation " + std::to_string(generation) + " is not known (3 to 6)");
    }
  };
  return per_lane() * lanes;
}

}  // namespace trainsim
