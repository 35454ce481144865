#include "topologies/topology.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace trainsim {
namespace {

std::string_view word_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::nic:
      return "nic";
    case DeviceKind::pcie_switch:
      return "pcie";
    case DeviceKind::nvswitch:
      return "nvswitch";
    case DeviceKind::fabric_switch:
      return "switch";
  }
  return "device";
}

std::string local_name(const Device& device) {
  return std::string(word_of(device.kind)) + std::to_string(device.index);
}

std::string pair_name(const Topology& topology, VertexId a, VertexId b) {
  const auto [first, second] = std::minmax(a, b);
  return topology.name(first) + "-" + local_name(topology.device(second));
}

// The number of a fabric link among its lower end's links upwards (or, for the way down, among those back).
std::size_t place_among_up_links(const Topology& topology, LinkId id, VertexId lower) {
  const auto is_fabric = [&](LinkId other) { return topology.link(other).kind == LinkKind::fabric; };
  std::size_t place = 0;
  const bool is_up = topology.link(id).is_up;
  const auto count = [&](auto edges) {
    for (auto edge = edges.first; edge != edges.second; ++edge) {
      const LinkId other = topology.graph()[*edge];
      if (other == id) return;
      if (is_fabric(other) && topology.link(other).is_up == is_up) ++place;
    }
  };
  if (is_up) {
    count(boost::out_edges(lower.index(), topology.graph()));
  } else {
    count(boost::in_edges(lower.index(), topology.graph()));
  }
  return place;
}

}  // namespace

std::string_view name_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return "nvlink";
    case LinkKind::pcie:
      return "pcie";
    case LinkKind::socket:
      return "socket";
    case LinkKind::nic:
      return "nic";
    case LinkKind::fabric:
      return "fabric";
    case LinkKind::xgmi:
      return "xgmi";
    case LinkKind::roce:
      return "roce";
  }
  return {};
}

VertexId Topology::add_device(const Device& device) {
  const VertexId vertex(boost::add_vertex(device, graph_));
  if (device.node != kNoNode) {
    if (nodes_.size() <= device.node) nodes_.resize(device.node + 1);
    nodes_[device.node].push_back(vertex);
  }
  if (device.kind == DeviceKind::gpu) {
    assert(gpus_.empty() || this->device(gpus_.back()).node <= device.node);
    gpus_.push_back(vertex);
  }
  ++revision_;
  return vertex;
}

LinkId Topology::add_link(VertexId from, VertexId to, const Link& link) {
  assert(link.bandwidth_bytes_per_s > 0.0 && link.cables > 0 && from != to);
  const LinkId id(links_.size());
  links_.push_back(link);
  ends_.emplace_back(from, to);
  boost::add_edge(from.index(), to.index(), id, graph_);
  ++revision_;
  return id;
}

LinkId Topology::add_duplex(VertexId lower, VertexId upper, Link link) {
  link.is_up = true;
  const LinkId up = add_link(lower, upper, link);
  link.is_up = false;
  add_link(upper, lower, link);
  return up;
}

void Topology::remove_link(LinkId link) {
  links_[link.index()].is_removed = true;
  ++revision_;
}

std::string Topology::name(VertexId vertex) const {
  const Device& it = device(vertex);
  if (it.kind == DeviceKind::fabric_switch && it.tier < tier_names.size()) {
    return tier_names[it.tier] + std::to_string(it.index);
  }
  if (it.node == kNoNode) return local_name(it);
  return "node" + std::to_string(it.node) + "." + local_name(it);
}

std::string Topology::name(LinkId id) const {
  const VertexId from = source(id);
  const VertexId to = target(id);
  const auto end_of_kind = [&](DeviceKind kind) {
    if (device(from).kind == kind) return from;
    return device(to).kind == kind ? to : VertexId(device_count());
  };
  const auto has = [&](VertexId vertex) { return vertex.index() < device_count(); };

  if (link(id).kind == LinkKind::fabric) {
    const VertexId lower = link(id).is_up ? from : to;
    return name(lower) + ".up" + std::to_string(place_among_up_links(*this, id, lower));
  }
  if (device(from).kind == device(to).kind) return pair_name(*this, from, to);
  if (const VertexId nic = end_of_kind(DeviceKind::nic); has(nic)) {
    return name(nic) + (link(id).kind == LinkKind::pcie ? ".pcie" : "");
  }
  if (const VertexId gpu = end_of_kind(DeviceKind::gpu); has(gpu)) return name(gpu);
  return name(link(id).is_up ? from : to);
}

}  // namespace trainsim
