#include "topologies/router.hpp"

#include <numeric>
#include <optional>

#include "topologies/fabric_paths.hpp"

namespace trainsim {
namespace {

using Links = std::vector<LinkId>;
using MaybeLinks = std::optional<Links>;

MaybeLinks chain(std::initializer_list<const MaybeLinks*> parts) {
  Links result;
  for (const MaybeLinks* part : parts) {
    if (!*part) return std::nullopt;
    result.insert(result.end(), (*part)->begin(), (*part)->end());
  }
  return result;
}

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

  MaybeLinks through(VertexId from, VertexId send_nic, VertexId receive_nic, VertexId to) {
    const MaybeLinks middle = fabric_paths.path(send_nic, receive_nic);
    if (!middle) return std::nullopt;
    const MaybeLinks first = node_paths.gpu_to_nic(from, send_nic);
    const MaybeLinks last = node_paths.nic_to_gpu(receive_nic, to);
    return chain({&first, &middle, &last});
  }

  // Over NVLink to a GPU whose own NIC is on the rail of `receive_nic`, and from there.
  MaybeLinks over_rail_neighbour(VertexId from, VertexId receive_nic, VertexId to) {
    const std::uint32_t rail = topology.device(receive_nic).index;
    for (const VertexId relay : topology.devices_of_node(topology.device(from).node)) {
      if (topology.device(relay).kind != DeviceKind::gpu || relay == from) continue;
      const std::optional<VertexId> nic = nearest_nic(relay);
      if (!nic || topology.device(*nic).index != rail) continue;
      const MaybeLinks first = node_paths.over_nvlink(from, relay);
      const MaybeLinks rest = through(relay, *nic, receive_nic, to);
      if (MaybeLinks route = chain({&first, &rest})) return route;
    }
    return std::nullopt;
  }

  // A NIC of another number can be on another rail only when the two are on different leaves in one node.
  bool is_on_other_rail(VertexId send_nic, VertexId receive_nic) {
    const Device& mine = topology.device(send_nic);
    const Device& theirs = topology.device(receive_nic);
    if (mine.index == theirs.index) return false;
    for (const VertexId vertex : topology.devices_of_node(mine.node)) {
      const Device& device = topology.device(vertex);
      if (device.kind != DeviceKind::nic || device.index != theirs.index) continue;
      return fabric_paths.is_connected(vertex) && fabric_paths.leaf_of(vertex) != fabric_paths.leaf_of(send_nic);
    }
    return false;
  }

  MaybeLinks between_nodes(VertexId from, VertexId to) {
    const std::optional<VertexId> send = nearest_nic(from);
    const std::optional<VertexId> receive = nearest_nic(to);
    if (!send || !receive) return std::nullopt;
    if (is_on_other_rail(*send, *receive)) {
      if (MaybeLinks route = over_rail_neighbour(from, *receive, to)) return route;
    }
    if (MaybeLinks route = through(from, *send, *receive, to)) return route;
    return over_other_nics(from, to);
  }

  MaybeLinks over_other_nics(VertexId from, VertexId to) {
    const std::vector<VertexId> senders = nics_of(from);
    for (const VertexId receive : nics_of(to)) {
      if (is_on_other_rail(senders.front(), receive)) {
        if (MaybeLinks route = over_rail_neighbour(from, receive, to)) return route;
      }
      for (const VertexId send : senders) {
        if (MaybeLinks route = through(from, send, receive, to)) return route;
      }
    }
    return std::nullopt;
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
  MaybeLinks links = same_node(from, to) ? known.node_paths.gpu_to_gpu(start, end) : known.between_nodes(start, end);
  if (!links) throw NoRoute("no route from " + topology_.name(start) + " to " + topology_.name(end));
  return *std::move(links);
}

double Router::latency_s(const std::vector<LinkId>& route) const {
  return std::accumulate(route.begin(), route.end(), 0.0,
                         [&](double sum, LinkId link) { return sum + topology_.link(link).latency_s; });
}

bool Router::same_node(GpuId a, GpuId b) const { return topology_.node_of(a) == topology_.node_of(b); }

std::vector<VertexId> Router::nics_of(GpuId gpu) const { return caches().nics_of(topology_.vertex_of(gpu)); }

}  // namespace trainsim
