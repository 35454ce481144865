#include "topologies/pcie_skeleton.hpp"

#include <set>
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
    parts_.gpus = add(DeviceKind::gpu, spec_.gpus);
    parts_.cpus = add(DeviceKind::cpu, spec_.pcie.sockets);
    parts_.pcie_switches = add(DeviceKind::pcie_switch, spec_.pcie.switches.size());
    parts_.nics = add(DeviceKind::nic, spec_.nics.count);
    join_sockets();
    plug_switches();
    plug_gpus();
    plug_nics();
    return parts_;
  }

 private:
  std::vector<VertexId> add(DeviceKind kind, std::size_t count) {
    std::vector<VertexId> result;
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back(topology_.add_device({.kind = kind, .node = node_, .index = static_cast<std::uint32_t>(i)}));
    }
    return result;
  }

  Link slot() const {
    return {.kind = LinkKind::pcie,
            .bandwidth_bytes_per_s = spec_.pcie.lane_group_bandwidth_bytes_per_s,
            .latency_s = spec_.pcie.latency_s};
  }

  void join_sockets() {
    const Link link{.kind = LinkKind::socket,
                    .bandwidth_bytes_per_s = spec_.pcie.socket_bandwidth_bytes_per_s,
                    .latency_s = spec_.pcie.latency_s};
    for (const VertexId a : parts_.cpus) {
      for (const VertexId b : parts_.cpus) {
        if (a != b) topology_.add_link(a, b, link);
      }
    }
  }

  void plug_switches() {
    const std::size_t count = parts_.pcie_switches.size();
    for (std::size_t i = 0; i < count; ++i) {
      const VertexId upper = parts_.cpus[share_of(i, count, parts_.cpus.size())];
      topology_.add_duplex(parts_.pcie_switches[i], upper, slot());
      for (const std::uint32_t gpu : spec_.pcie.switches[i]) host_of_gpu_[gpu] = parts_.pcie_switches[i];
    }
  }

  void plug_gpus() {
    std::set<std::uint32_t> behind_switch;
    for (const auto& group : spec_.pcie.switches) behind_switch.insert(group.begin(), group.end());
    for (std::uint32_t i = 0; i < spec_.gpus; ++i) {
      if (!behind_switch.contains(i)) host_of_gpu_[i] = parts_.cpus[share_of(i, spec_.gpus, parts_.cpus.size())];
      topology_.add_duplex(parts_.gpus[i], host_of_gpu_[i], slot());
    }
  }

  VertexId host_of_nic(std::size_t i) const {
    const std::size_t count = parts_.nics.size();
    if (spec_.nics.attached == "per-gpu") return host_of_gpu_[share_of(i, count, spec_.gpus)];
    if (spec_.nics.attached == "per-switch") {
      return parts_.pcie_switches[share_of(i, count, parts_.pcie_switches.size())];
    }
    return parts_.cpus[share_of(i, count, parts_.cpus.size())];
  }

  // Away from the GPUs is from the host side towards the NIC, so the NIC is the upper end.
  void plug_nics() {
    for (std::size_t i = 0; i < parts_.nics.size(); ++i) topology_.add_duplex(host_of_nic(i), parts_.nics[i], slot());
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
      if (gpu >= spec.gpus) {
        throw std::invalid_argument("pcie.switches names GPU " + std::to_string(gpu) + " of a node with " +
                                    std::to_string(spec.gpus) + " GPUs (they count from 0)");
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
  if (attached != "per-gpu" && attached != "per-switch" && attached != "per-socket") {
    throw std::invalid_argument("nics.attached is '" + attached + "'; it must be per-gpu, per-switch or per-socket");
  }
  if (attached == "per-switch" && spec.pcie.switches.empty()) {
    throw std::invalid_argument("nics.attached is per-switch, but pcie.switches is empty; list the switches");
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
  check_switches(spec);
  check_nics(spec);
}

NodeParts add_pcie_skeleton(Topology& topology, const NodeSpec& spec, std::uint32_t node) {
  return Skeleton(topology, spec, node).build();
}

}  // namespace trainsim
