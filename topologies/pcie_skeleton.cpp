#include "topologies/pcie_skeleton.hpp"

#include <set>
#include <span>
#include <stdexcept>
#include <string>

namespace trainsim {
namespace {

// Spreads `count` things evenly over `places`: thing i goes to place i · places / count.
std::size_t share_of(std::size_t i, std::size_t count, std::size_t places) { return i * places / count; }

class Skeleton {
 public:
  Skeleton(Topology& topology, const NodeSpec& spec, std::uint32_t node)
      : topology_(topology), spec_(spec), node_(node), host_of_gpu_(spec.gpus) {}

  NodeParts build() {
    add_devices();
    for (std::uint32_t tray = 0; tray < trays_of(spec_); ++tray) {
      join_sockets(tray);
      plug_switches(tray);
    }
    plug_gpus();
    plug_nics();
    return parts_;
  }

 private:
  // `count` devices, `per_tray` to a tray.
  std::vector<VertexId> add(DeviceKind kind, std::size_t count, std::size_t per_tray) {
    std::vector<VertexId> result;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto tray = static_cast<std::uint32_t>(i / per_tray);
      result.push_back(topology_.add_device({.kind = kind, .node = node_, .index = i, .tray = tray}));
    }
    return result;
  }

  void add_devices() {
    const std::size_t trays = trays_of(spec_);
    const std::size_t switches = spec_.pcie.switches.size();
    parts_.gpus = add(DeviceKind::gpu, spec_.gpus, gpus_of_tray(spec_));
    parts_.cpus = add(DeviceKind::cpu, trays * spec_.pcie.sockets, spec_.pcie.sockets);
    parts_.pcie_switches = add(DeviceKind::pcie_switch, trays * switches, switches);
    add_nics();
  }

  // A NIC belongs to the tray of what it is plugged into.
  void add_nics() {
    std::vector<std::uint32_t> nics_of_tray(trays_of(spec_), 0);
    for (std::uint32_t i = 0; i < spec_.nics.count; ++i) {
      const std::uint32_t tray = topology_.device(neighbour_of_nic(i)).tray;
      parts_.nics.push_back(topology_.add_device(
          {.kind = DeviceKind::nic, .node = node_, .index = i, .tray = tray, .rail = nics_of_tray[tray]++}));
    }
  }

  Link slot() const {
    return {.kind = LinkKind::pcie,
            .bandwidth_bytes_per_s = spec_.pcie.lane_group_bandwidth_bytes_per_s,
            .latency_s = spec_.pcie.latency_s};
  }

  [[nodiscard]] VertexId cpu_of(std::size_t tray, std::size_t i, std::size_t count) const {
    return parts_.cpus[tray * spec_.pcie.sockets + share_of(i, count, spec_.pcie.sockets)];
  }

  void join_sockets(std::size_t tray) {
    const Link link{.kind = LinkKind::socket,
                    .bandwidth_bytes_per_s = spec_.pcie.socket_bandwidth_bytes_per_s,
                    .latency_s = spec_.pcie.latency_s};
    const auto sockets = std::span(parts_.cpus).subspan(tray * spec_.pcie.sockets, spec_.pcie.sockets);
    for (const VertexId a : sockets) {
      for (const VertexId b : sockets) {
        if (a != b) topology_.add_link(a, b, link);
      }
    }
  }

  void plug_switches(std::size_t tray) {
    const std::size_t count = spec_.pcie.switches.size();
    for (std::size_t i = 0; i < count; ++i) {
      const VertexId pcie_switch = parts_.pcie_switches[tray * count + i];
      topology_.add_duplex(pcie_switch, cpu_of(tray, i, count), slot());
      for (const std::uint32_t place : spec_.pcie.switches[i]) {
        const std::size_t gpu = tray * gpus_of_tray(spec_) + place;
        if (gpu < spec_.gpus) host_of_gpu_[gpu] = pcie_switch;
      }
    }
  }

  void plug_gpus() {
    std::set<std::uint32_t> behind_switch;
    for (const auto& group : spec_.pcie.switches) behind_switch.insert(group.begin(), group.end());
    const std::uint32_t per_tray = gpus_of_tray(spec_);
    for (std::uint32_t i = 0; i < spec_.gpus; ++i) {
      const std::uint32_t place = i % per_tray;
      if (!behind_switch.contains(place)) host_of_gpu_[i] = cpu_of(i / per_tray, place, per_tray);
      topology_.add_duplex(parts_.gpus[i], host_of_gpu_[i], slot());
    }
  }

  // The GPU, switch or CPU that a NIC goes with.
  [[nodiscard]] VertexId neighbour_of_nic(std::size_t i) const {
    const auto evenly = [&](const std::vector<VertexId>& all) {
      return all[share_of(i, spec_.nics.count, all.size())];
    };
    if (spec_.nics.attached == "per-switch") return evenly(parts_.pcie_switches);
    if (spec_.nics.attached == "per-socket") return evenly(parts_.cpus);
    return evenly(parts_.gpus);
  }

  // Away from the GPUs is from the host side towards the NIC, so the NIC is the upper end. A per-gpu NIC sits beside
  // its GPU; ports of the accelerator itself pass no slot, so what leads to them must never bind.
  void plug_nics() {
    Link on_chip = slot();
    on_chip.bandwidth_bytes_per_s = 2.0 * spec_.nics.bandwidth_bytes_per_s;
    on_chip.latency_s = 0.0;
    for (std::size_t i = 0; i < parts_.nics.size(); ++i) {
      const VertexId neighbour = neighbour_of_nic(i);
      const bool is_on_chip = spec_.nics.attached == "on-gpu";
      const bool is_beside_gpu = spec_.nics.attached == "per-gpu";
      const VertexId lower = is_beside_gpu ? host_of_gpu_[topology_.device(neighbour).index] : neighbour;
      topology_.add_duplex(lower, parts_.nics[i], is_on_chip ? on_chip : slot());
    }
  }

  Topology& topology_;
  const NodeSpec& spec_;
  std::uint32_t node_;
  std::vector<VertexId> host_of_gpu_;
  NodeParts parts_;
};

void check_switches(const NodeSpec& spec) {
  std::set<std::uint32_t> seen;
  for (const auto& group : spec.pcie.switches) {
    for (const std::uint32_t gpu : group) {
      if (gpu >= gpus_of_tray(spec)) {
        throw std::invalid_argument("pcie.switches names GPU " + std::to_string(gpu) + " of a " +
                                    (spec.gpus_per_tray == 0 ? "node" : "tray") + " with " +
                                    std::to_string(gpus_of_tray(spec)) + " GPUs (they count from 0)");
      }
      if (!seen.insert(gpu).second) {
        throw std::invalid_argument("pcie.switches puts GPU " + std::to_string(gpu) + " behind two switches");
      }
    }
  }
}

void check_nics(const NodeSpec& spec) {
  if (spec.nics.count == 0) return;
  if (spec.nics.bandwidth_bytes_per_s <= 0.0) throw std::invalid_argument("nics.bandwidth must be above 0");
  const std::string& attached = spec.nics.attached;
  if (attached != "per-gpu" && attached != "per-switch" && attached != "per-socket" && attached != "on-gpu") {
    throw std::invalid_argument("nics.attached is '" + attached +
                                "'; it must be per-gpu, per-switch, per-socket or on-gpu");
  }
  if (attached == "on-gpu" && !spec.nics.gpudirect) {
    throw std::invalid_argument("nics.attached is on-gpu, where no host is in the way; leave out nics.gpudirect");
  }
  if (attached == "per-switch" && spec.pcie.switches.empty()) {
    throw std::invalid_argument("nics.attached is per-switch, but pcie.switches is empty; list the switches");
  }
}

bool has_nic_in_every_tray(const NodeSpec& spec) {
  if (spec.nics.attached == "per-switch" || spec.nics.attached == "per-socket")
    return spec.nics.count >= trays_of(spec);
  std::set<std::size_t> trays;
  for (std::size_t i = 0; i < spec.nics.count; ++i) {
    trays.insert(share_of(i, spec.nics.count, spec.gpus) / gpus_of_tray(spec));
  }
  return trays.size() == trays_of(spec);
}

void check_trays(const NodeSpec& spec) {
  if (trays_of(spec) == 1) return;
  if (spec.intra != IntraKind::nvswitch) {
    throw std::invalid_argument(
        "only NVSwitches join GPUs of several trays; set intra.kind nvswitch or leave out "
        "gpus_per_tray");
  }
  if (spec.nics.count > 0 && !has_nic_in_every_tray(spec)) {
    throw std::invalid_argument("nics.count is " + std::to_string(spec.nics.count) + " for " +
                                std::to_string(trays_of(spec)) + " trays and leaves one without; give one per GPU");
  }
}

}  // namespace

void check_pcie(const NodeSpec& spec) {
  if (spec.gpus == 0) throw std::invalid_argument("a node needs at least one GPU");
  if (spec.pcie.sockets == 0) throw std::invalid_argument("pcie.sockets must be at least 1");
  if (spec.pcie.lane_group_bandwidth_bytes_per_s <= 0.0) {
    throw std::invalid_argument("the node has no PCIe bandwidth; give pcie.generation and pcie.lanes");
  }
  if (spec.pcie.sockets > 1 && spec.pcie.socket_bandwidth_bytes_per_s <= 0.0) {
    throw std::invalid_argument("a node of several sockets needs pcie.socket_bandwidth");
  }
  check_trays(spec);
  check_switches(spec);
  check_nics(spec);
}

NodeParts add_pcie_skeleton(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  return Skeleton(topology, spec, node).build();
}

}  // namespace trainsim
