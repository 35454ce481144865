#include "topologies/router.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "topologies/fabric_paths.hpp"

namespace trainsim {
namespace {

using Links = std::vector<LinkId>;
constexpr std::size_t kUsualLinks = 12;  // GPU, PCIe switch, NIC, three tiers and back

}  // namespace

struct Router::Caches {
  Caches(const Topology& graph, NodeOptions options)
      : topology(graph), revision(graph.revision()), node_paths(graph, options), fabric_paths(graph) {}

  // The NICs that still have a cable, nearest first.
  std::vector<VertexId> nics_of(VertexId gpu) {
    std::vector<VertexId> nics = node_paths.nics_by_distance(gpu);
    std::erase_if(nics, [&](VertexId nic) { return !fabric_paths.is_connected(nic); });
    return nics;
  }

  // The NIC first in line, without working out the whole order again.
  std::optional<VertexId> nearest_nic(VertexId gpu) {
    if (nearest.empty()) nearest.resize(topology.device_count());
    auto& entry = nearest[gpu.index()];
    if (!entry.is_known) {
      const std::vector<VertexId> nics = nics_of(gpu);
      entry.is_known = true;
      if (!nics.empty()) entry.nic = nics.front();
    }
    return entry.nic;
  }

  bool append_through(VertexId from, VertexId send_nic, VertexId receive_nic, VertexId to, Links& route) {
    const std::size_t before = route.size();
    if (node_paths.append_gpu_to_nic(from, send_nic, route) && fabric_paths.append(send_nic, receive_nic, route) &&
        node_paths.append_nic_to_gpu(receive_nic, to, route)) {
      return true;
    }
    route.resize(before);
    return false;
  }

  // The other GPUs of the node, those of its own tray first.
  std::vector<VertexId> neighbours(VertexId gpu) const {
    std::vector<VertexId> result = topology.devices_of_node(topology.device(gpu).node);
    std::erase_if(result,
                  [&](VertexId other) { return topology.device(other).kind != DeviceKind::gpu || other == gpu; });
    std::stable_partition(result.begin(), result.end(),
                          [&](VertexId other) { return topology.device(other).tray == topology.device(gpu).tray; });
    return result;
  }

  // Over NVLink to a GPU whose own NIC is on the rail of `receive_nic`, and from there.
  bool append_over_rail_neighbour(VertexId from, VertexId receive_nic, VertexId to, Links& route) {
    const std::uint32_t rail = topology.device(receive_nic).rail;
    const std::size_t before = route.size();
    for (const VertexId relay : neighbours(from)) {
      const std::optional<VertexId> nic = nearest_nic(relay);
      if (!nic || topology.device(*nic).rail != rail) continue;
      if (node_paths.append_over_nvlink(from, relay, route) && append_through(relay, *nic, receive_nic, to, route)) {
        return true;
      }
      route.resize(before);
    }
    return false;
  }

  // A NIC of another place can be on another rail only when the two are on different leaves in one node.
  bool is_on_other_rail(VertexId send_nic, VertexId receive_nic) {
    const Device& mine = topology.device(send_nic);
    const Device& theirs = topology.device(receive_nic);
    if (mine.rail == theirs.rail) return false;
    for (const VertexId vertex : topology.devices_of_node(mine.node)) {
      const Device& device = topology.device(vertex);
      if (device.kind != DeviceKind::nic || device.rail != theirs.rail) continue;
      return fabric_paths.is_connected(vertex) && fabric_paths.leaf_of(vertex) != fabric_paths.leaf_of(send_nic);
    }
    return false;
  }

  bool append_between_nodes(VertexId from, VertexId to, Links& route) {
    const std::optional<VertexId> send = nearest_nic(from);
    const std::optional<VertexId> receive = nearest_nic(to);
    if (!send || !receive) return false;
    if (is_on_other_rail(*send, *receive) && append_over_rail_neighbour(from, *receive, to, route)) return true;
    return append_through(from, *send, *receive, to, route) || append_over_other_nics(from, to, route);
  }

  bool append_over_other_nics(VertexId from, VertexId to, Links& route) {
    const std::vector<VertexId> senders = nics_of(from);
    for (const VertexId receive : nics_of(to)) {
      if (is_on_other_rail(senders.front(), receive) && append_over_rail_neighbour(from, receive, to, route)) {
        return true;
      }
      for (const VertexId send : senders) {
        if (append_through(from, send, receive, to, route)) return true;
      }
    }
    return false;
  }

  struct Nearest {
    bool is_known = false;
    std::optional<VertexId> nic;
  };

  const Topology& topology;
  std::uint64_t revision;
  NodePaths node_paths;
  FabricPaths fabric_paths;
  std::vector<Nearest> nearest;  // by vertex
};

Router::Router(const Topology& topology, NodeOptions options) : topology_(topology), options_(options) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

Router::Caches& Router::caches() const {
  if (!caches_ || caches_->revision != topology_.revision()) caches_ = std::make_unique<Caches>(topology_, options_);
  return *caches_;
}

std::vector<LinkId> Router::route(GpuId from, GpuId to) const {
  if (from == to) return {};
  const VertexId start = topology_.vertex_of(from);
  const VertexId end = topology_.vertex_of(to);
  Caches& known = caches();
  Links links;
  links.reserve(kUsualLinks);
  // GPUs of two trays meet in the network when their NVLinks are gone.
  const bool is_found = (same_node(from, to) && known.node_paths.append_gpu_to_gpu(start, end, links)) ||
                        known.append_between_nodes(start, end, links);
  if (!is_found) throw NoRoute("no route from " + topology_.name(start) + " to " + topology_.name(end));
  return links;
}

double Router::latency_s(const std::vector<LinkId>& route) const {
  return std::accumulate(route.begin(), route.end(), 0.0,
                         [&](double sum, LinkId link) { return sum + topology_.link(link).latency_s; });
}

bool Router::same_node(GpuId a, GpuId b) const { return topology_.node_of(a) == topology_.node_of(b); }

std::vector<VertexId> Router::nics_of(GpuId gpu) const { return caches().nics_of(topology_.vertex_of(gpu)); }

}  // namespace trainsim
