// The machine as a graph: typed devices and directed links (Boost.Graph). It is the single source of routes, capacities
// and counts; nothing else in trainsim knows how a node or a fabric is wired.
//
// Invariants: a link's bandwidth is per direction and positive; every GPU, NIC, CPU and switch inside a node carries
// the node's number; LinkId is stable (removing a link leaves the others' ids alone).
//
// Fabric switches of one group and tier that are interchangeable under adaptive routing (the 16 spines of a leaf-spine
// fabric, the spines of one pod) are one vertex with `count` switches, and the parallel cables to it are one link with
// `cables` cables: a tier bundle. Its capacity is the sum over the cables that are left.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/base/ids.hpp"

namespace trainsim {

enum class DeviceKind : std::uint8_t { gpu, cpu, nic, pcie_switch, nvswitch, fabric_switch };

// What a link is made of; with it go an efficiency and a per-hop latency of the collectives' catalog, and the class
// under which results report its load.
// From the nearest to a GPU to the farthest: of equally full links accounting takes the farthest.
enum class LinkKind : std::uint8_t { nvlink, xgmi, roce, pcie, socket, nic, fabric };
constexpr std::size_t kLinkKinds = 7;
std::string_view name_of(LinkKind kind);
// The accelerators' own links inside a node: NVLink, xGMI, or Ethernet ports that lead to neighbours (roce).
constexpr bool is_between_gpus(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi || kind == LinkKind::roce;
}

constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

struct Device {
  DeviceKind kind = DeviceKind::gpu;
  std::uint32_t node = kNoNode;  // kNoNode for fabric switches
  std::uint32_t index = 0;       // among its kind in its node; for a fabric switch: among those of its tier
  std::uint16_t tier = 0;        // fabric switch: 0 is the leaf
  std::uint16_t count = 1;       // identical switches that this vertex stands for
  std::uint32_t tray = 0;        // inside a node: which of its hosts the device belongs to
  std::uint32_t rail = 0;        // NIC: its place among the NICs of its tray, which is the rail that it hangs on
};

struct Link {
  LinkKind kind = LinkKind::nvlink;
  double bandwidth_bytes_per_s = 0.0;  // of one cable, one direction
  double latency_s = 0.0;              // wire and switch, not software
  std::uint32_t cables = 1;            // parallel cables that adaptive routing spreads over
  std::uint16_t tier = 0;              // fabric link: the tier of its lower end (0: leaf to the next)
  bool is_up = false;                  // leads away from the GPUs (GPU->NIC->leaf->spine)
  bool is_removed = false;
  double capacity_factor = 1.0;  // below 1 when degraded (conditions.links)

  [[nodiscard]] double capacity_bytes_per_s() const {
    return bandwidth_bytes_per_s * static_cast<double>(cables) * capacity_factor;
  }
};

class Topology {
 public:
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Device, LinkId>;

  VertexId add_device(const Device& device);
  LinkId add_link(VertexId from, VertexId to, const Link& link);
  // Two links, one each way, of the same kind and bandwidth; the one from `lower` to `upper` is up. Returns the up
  // link.
  LinkId add_duplex(VertexId lower, VertexId upper, Link link);
  // Routes no longer use it. Both directions must be removed separately.
  void remove_link(LinkId link);
  // Grows with every device or link added or removed: routers drop what they remember when it has moved.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Device& device(VertexId vertex) const { return graph_[vertex.index()]; }
  [[nodiscard]] const Link& link(LinkId id) const { return links_[id.index()]; }
  [[nodiscard]] Link& link(LinkId id) { return links_[id.index()]; }
  [[nodiscard]] VertexId source(LinkId id) const { return ends_[id.index()].first; }
  [[nodiscard]] VertexId target(LinkId id) const { return ends_[id.index()].second; }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }
  [[nodiscard]] std::size_t device_count() const { return boost::num_vertices(graph_); }

  // GPUs in the order of GpuId: node by node, by index within the node.
  [[nodiscard]] const std::vector<VertexId>& gpus() const { return gpus_; }
  [[nodiscard]] VertexId vertex_of(GpuId gpu) const { return gpus_[gpu.index()]; }
  [[nodiscard]] std::uint32_t node_of(GpuId gpu) const { return device(vertex_of(gpu)).node; }
  [[nodiscard]] const std::vector<VertexId>& devices_of_node(std::uint32_t node) const { return nodes_[node]; }
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }

  // Tier names from the leaf up ("leaf", "spine", …); fabric links of tier i lead from tier i to tier i + 1.
  std::vector<std::string> tier_names;

  // "node3.gpu5", "node3.nic2", "leaf7", …
  [[nodiscard]] std::string name(VertexId vertex) const;
  // What `trainsim show` prints and conditions.links matches: "node3.nic2" for a NIC's cable, "node3.gpu5" for a GPU's
  // links, "leaf7.up0" for the cables from a leaf upwards; both directions share a name. Inside a node also
  // "node3.nic2.pcie" (a NIC's slot), "node3.pcie0" (a PCIe switch's way up), "node3.gpu0-gpu1" (an NVLink bridge) and
  // "node3.cpu0-cpu1" (between sockets).
  [[nodiscard]] std::string name(LinkId link) const;

 private:
  Graph graph_;
  std::vector<Link> links_;
  std::vector<std::pair<VertexId, VertexId>> ends_;
  std::vector<VertexId> gpus_;
  std::vector<std::vector<VertexId>> nodes_;
  std::uint64_t revision_ = 0;
};

}  // namespace trainsim
