#include "topologies/node_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace trainsim {
namespace {

using LocalPath = std::vector<std::uint32_t>;  // link numbers of a shape
using MaybePath = std::optional<LocalPath>;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
// NCCL relays over at most one other GPU (PATH_NVB), and an NVSwitch is one vertex: two links either way.
constexpr std::size_t kMostNvlinks = 2;

struct LocalLink {
  std::uint32_t target = 0;
  std::uint32_t number = 0;
  LinkKind kind = LinkKind::nvlink;
};

enum class Medium : std::uint8_t { nvlink, host };

bool carries(Medium medium, LinkKind kind) {
  return medium == Medium::nvlink ? is_between_gpus(kind) : kind == LinkKind::pcie || kind == LinkKind::socket;
}

MaybePath joined(MaybePath first, const MaybePath& second) {
  if (!first || !second) return std::nullopt;
  first->insert(first->end(), second->begin(), second->end());
  return first;
}

}  // namespace

// Devices and links of a node, numbered from 0 in the order in which the topology lists them.
struct NodePaths::Shape {
  std::vector<Device> devices;
  std::vector<std::vector<LocalLink>> links_from;
  std::vector<std::vector<std::optional<MaybePath>>> found;  // by question and first device, then by second device
  std::vector<std::optional<std::vector<std::uint32_t>>> nic_order;  // by GPU

  enum Question : std::size_t { kGpuToGpu, kNvlink, kGpuToNic, kNicToGpu, kQuestions };

  void finish() {
    found.resize(kQuestions * devices.size());
    nic_order.resize(devices.size());
  }

  template <class Search>
  const MaybePath& remember(Question question, std::uint32_t from, std::uint32_t to, Search search) {
    auto& row = found[question * devices.size() + from];
    if (row.empty()) row.resize(devices.size());
    std::optional<MaybePath>& entry = row[to];
    if (!entry) entry = search();
    return *entry;
  }

  [[nodiscard]] bool may_pass(Medium medium, std::uint32_t device) const {
    const DeviceKind kind = devices[device].kind;
    return medium == Medium::nvlink || (kind != DeviceKind::gpu && kind != DeviceKind::nic);
  }

  // Breadth first, so fewest links; among equals the first in link order.
  [[nodiscard]] MaybePath shortest(std::uint32_t from, std::uint32_t to, Medium medium,
                                   std::size_t most = kNoLimit) const {
    struct Visit {
      std::uint32_t device, previous, link;
      std::size_t depth;
    };
    std::vector<Visit> visits{{from, 0, 0, 0}};
    std::vector<bool> seen(devices.size(), false);
    seen[from] = true;
    for (std::uint32_t i = 0; i < visits.size(); ++i) {
      const Visit visit = visits[i];
      if (visit.device == to) {
        LocalPath path;
        for (std::uint32_t at = i; at != 0; at = visits[at].previous) path.push_back(visits[at].link);
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (visit.depth == most || (visit.device != from && !may_pass(medium, visit.device))) continue;
      for (const LocalLink& link : links_from[visit.device]) {
        if (seen[link.target] || !carries(medium, link.kind)) continue;
        seen[link.target] = true;
        visits.push_back({link.target, i, link.number, visit.depth + 1});
      }
    }
    return std::nullopt;
  }

  // Up to the nearest CPU, into host memory, and from there on.
  [[nodiscard]] MaybePath through_host(std::uint32_t from, std::uint32_t to) const {
    MaybePath best;
    std::uint32_t best_cpu = 0;
    for (std::uint32_t device = 0; device < devices.size(); ++device) {
      if (devices[device].kind != DeviceKind::cpu) continue;
      const MaybePath path = shortest(from, device, Medium::host);
      if (path && (!best || path->size() < best->size())) {
        best = path;
        best_cpu = device;
      }
    }
    if (!best) return std::nullopt;
    return joined(std::move(best), shortest(best_cpu, to, Medium::host));
  }

  const MaybePath& nvlink(std::uint32_t from, std::uint32_t to) {
    return remember(kNvlink, from, to, [&] { return shortest(from, to, Medium::nvlink, kMostNvlinks); });
  }

  const MaybePath& gpu_to_gpu(std::uint32_t from, std::uint32_t to, bool peer_to_peer) {
    return remember(kGpuToGpu, from, to, [&] {
      if (const MaybePath& path = nvlink(from, to)) return path;
      return peer_to_peer ? shortest(from, to, Medium::host) : through_host(from, to);
    });
  }

  const MaybePath& with_nic(Question question, std::uint32_t from, std::uint32_t to, bool gpudirect) {
    return remember(question, from, to,
                    [&] { return gpudirect ? shortest(from, to, Medium::host) : through_host(from, to); });
  }

  // The NICs that a GPU reaches, in the order of NodePaths::nics_by_distance.
  const std::vector<std::uint32_t>& nics_of(std::uint32_t gpu, bool gpudirect) {
    if (!nic_order[gpu]) nic_order[gpu] = sorted_nics(gpu, gpudirect);
    return *nic_order[gpu];
  }

  [[nodiscard]] std::vector<std::uint32_t> sorted_nics(std::uint32_t gpu, bool gpudirect) {
    const double nics = count(DeviceKind::nic);
    const double place = (devices[gpu].index + 0.5) / count(DeviceKind::gpu);
    std::vector<std::tuple<std::size_t, double, std::uint32_t>> order;
    for (std::uint32_t nic = 0; nic < devices.size(); ++nic) {
      if (devices[nic].kind != DeviceKind::nic) continue;
      const MaybePath& path = with_nic(kGpuToNic, gpu, nic, gpudirect);
      if (path) order.emplace_back(path->size(), std::abs((devices[nic].index + 0.5) / nics - place), nic);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> result;
    for (const auto& [links, distance, nic] : order) result.push_back(nic);
    return result;
  }

  [[nodiscard]] std::uint32_t count(DeviceKind kind) const {
    return static_cast<std::uint32_t>(
        std::count_if(devices.begin(), devices.end(), [&](const Device& device) { return device.kind == kind; }));
  }
};

NodePaths::NodePaths(const Topology& topology, NodeOptions options)
    : topology_(topology), options_(options), place_in_node_(topology.device_count()), views_(topology.node_count()) {
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    std::uint32_t place = 0;
    for (const VertexId vertex : topology.devices_of_node(node)) place_in_node_[vertex.index()] = place++;
  }
}

NodePaths::~NodePaths() = default;

NodePaths::NodeView& NodePaths::view_of(VertexId vertex) {
  const std::uint32_t node = topology_.device(vertex).node;
  NodeView& view = views_[node];
  if (view.shape == nullptr) view = read_node(node);
  return view;
}

NodePaths::NodeView NodePaths::read_node(std::uint32_t node) const {
  NodeView view;
  auto shape = std::make_unique<Shape>();
  std::vector<std::uint32_t> key;
  const auto& graph = topology_.graph();
  for (const VertexId vertex : topology_.devices_of_node(node)) {
    const Device& device = topology_.device(vertex);
    shape->devices.push_back(device);
    auto& links = shape->links_from.emplace_back();
    key.insert(key.end(), {static_cast<std::uint32_t>(device.kind), device.index});
    const auto [begin, end] = boost::out_edges(vertex.index(), graph);
    for (auto edge = begin; edge != end; ++edge) {
      const LinkId id = graph[*edge];
      const VertexId target = topology_.target(id);
      if (topology_.device(target).node != node || topology_.link(id).is_removed) continue;
      const auto number = static_cast<std::uint32_t>(view.links.size());
      links.push_back({place_in_node_[target.index()], number, topology_.link(id).kind});
      key.insert(key.end(), {links.back().target, static_cast<std::uint32_t>(links.back().kind)});
      view.links.push_back(id);
    }
    key.push_back(std::numeric_limits<std::uint32_t>::max());  // end of this device
  }
  shape->finish();
  view.shape = shapes_.try_emplace(std::move(key), std::move(shape)).first->second.get();
  return view;
}

template <class Search>
bool NodePaths::append(VertexId from, VertexId to, std::vector<LinkId>& route, Search search) {
  const NodeView& view = view_of(from);
  const MaybePath& local = search(*view.shape, place_in_node_[from.index()], place_in_node_[to.index()]);
  if (!local) return false;
  for (const std::uint32_t number : *local) route.push_back(view.links[number]);
  return true;
}

bool NodePaths::append_gpu_to_gpu(VertexId from, VertexId to, std::vector<LinkId>& route) {
  return append(from, to, route, [&](Shape& shape, std::uint32_t a, std::uint32_t b) -> const MaybePath& {
    return shape.gpu_to_gpu(a, b, options_.peer_to_peer);
  });
}

bool NodePaths::append_over_nvlink(VertexId from, VertexId to, std::vector<LinkId>& route) {
  return append(from, to, route,
                [](Shape& shape, std::uint32_t a, std::uint32_t b) -> const MaybePath& { return shape.nvlink(a, b); });
}

bool NodePaths::append_gpu_to_nic(VertexId gpu, VertexId nic, std::vector<LinkId>& route) {
  return append(gpu, nic, route, [&](Shape& shape, std::uint32_t a, std::uint32_t b) -> const MaybePath& {
    return shape.with_nic(Shape::kGpuToNic, a, b, options_.gpudirect);
  });
}

bool NodePaths::append_nic_to_gpu(VertexId nic, VertexId gpu, std::vector<LinkId>& route) {
  return append(nic, gpu, route, [&](Shape& shape, std::uint32_t a, std::uint32_t b) -> const MaybePath& {
    return shape.with_nic(Shape::kNicToGpu, a, b, options_.gpudirect);
  });
}

std::vector<VertexId> NodePaths::nics_by_distance(VertexId gpu) {
  Shape& shape = *view_of(gpu).shape;
  const auto& members = topology_.devices_of_node(topology_.device(gpu).node);
  std::vector<VertexId> result;
  for (const std::uint32_t place : shape.nics_of(place_in_node_[gpu.index()], options_.gpudirect)) {
    result.push_back(members[place]);
  }
  return result;
}

}  // namespace trainsim
