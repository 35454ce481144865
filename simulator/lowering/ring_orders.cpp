#include <algorithm>
#include <array>
#include <numeric>

#include "simulator/lowering/connections.hpp"

namespace trainsim {
namespace {

using Order = std::vector<Position>;

// The members of each lane of one node, lanes in order.
struct LaneMembers {
  Communicator::Lane lane;
  std::vector<Position> members;
};

std::vector<LaneMembers> lanes_of(Communicator& communicator, const std::vector<Position>& members) {
  std::vector<LaneMembers> lanes;
  for (const Position member : members) {
    const Communicator::Lane lane = communicator.lane(member);
    auto place = std::lower_bound(lanes.begin(), lanes.end(), lane,
                                  [](const LaneMembers& one, Communicator::Lane value) { return one.lane < value; });
    if (place == lanes.end() || place->lane != lane) place = lanes.insert(place, LaneMembers{lane, {}});
    place->members.push_back(member);
  }
  return lanes;
}

// Lanes that all nodes have, as places in each node's list; nodes that differ keep only what they share.
void keep_common_lanes(std::vector<std::vector<LaneMembers>>& nodes) {
  const auto is_lane = [](Communicator::Lane lane) {
    return [lane](const LaneMembers& one) { return one.lane == lane; };
  };
  std::vector<Communicator::Lane> common;
  for (const LaneMembers& one : nodes.front()) common.push_back(one.lane);
  for (const auto& lanes : nodes) {
    std::erase_if(common,
                  [&](Communicator::Lane lane) { return std::none_of(lanes.begin(), lanes.end(), is_lane(lane)); });
  }
  for (auto& lanes : nodes) {
    std::erase_if(lanes, [&](const LaneMembers& one) {
      return std::find(common.begin(), common.end(), one.lane) == common.end();
    });
  }
}

bool is_direct(Communicator& communicator, Connection connection) {
  return communicator.route(connection).links.size() == 1;
}

bool is_full_mesh(Communicator& communicator, const std::vector<Position>& members) {
  for (const Position from : members) {
    for (const Position to : members) {
      if (from != to && !is_direct(communicator, {from, to})) return false;
    }
  }
  return true;
}

class OrdersOverNodes {
 public:
  OrdersOverNodes(Communicator& communicator, std::vector<std::vector<LaneMembers>> lanes)
      : nodes_(communicator.groups().nodes),
        lanes_(std::move(lanes)),
        is_mesh_(std::all_of(nodes_.begin(), nodes_.end(),
                             [&](const auto& members) { return is_full_mesh(communicator, members); })) {}

  [[nodiscard]] std::size_t channels() const { return lanes_.front().size(); }

  [[nodiscard]] Order order_of(std::size_t channel) const {
    // A lane with several members in every node can be entered and left by itself.
    const bool stays = std::all_of(lanes_.begin(), lanes_.end(), [channel](const std::vector<LaneMembers>& of_node) {
      return of_node[channel].members.size() > 1;
    });
    const auto entry = [&](std::size_t node) { return stays ? channel : entry_lane(channel, node); };
    Order order;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const Position first = lanes_[node][entry(node)].members.front();
      Position last = lanes_[node][entry((node + 1) % nodes_.size())].members.back();
      // An odd number of nodes with two lanes cannot close without changing lanes once.
      if (last == first && nodes_[node].size() > 1)
        last = nodes_[node].back() == first ? nodes_[node].front() : nodes_[node].back();
      append_path(nodes_[node], first, last, order);
    }
    return order;
  }

 private:
  // Which lane, as a place in the common list, a channel enters each node by.
  [[nodiscard]] std::size_t entry_lane(std::size_t channel, std::size_t node) const {
    const std::size_t count = channels();
    if (node % 2 == 1) return (channel + (is_mesh_ ? std::max<std::size_t>(count / 2, 1) : 1)) % count;
    const bool is_odd_end = nodes_.size() % 2 == 1 && node + 1 == nodes_.size() && count > 2;
    return is_odd_end ? (channel + 2) % count : channel;
  }

  // Appends a node's members from `entry` to `exit`.
  void append_path(const std::vector<Position>& members, Position entry, Position exit, Order& order) const {
    const auto start = static_cast<std::size_t>(std::find(members.begin(), members.end(), entry) - members.begin());
    const bool goes_down = members[(start + 1) % members.size()] == exit;
    order.push_back(entry);
    for (std::size_t step = 1; step < members.size(); ++step) {
      const Position member = is_mesh_ ? zigzag(members, start, step) : round(members, start, step, goes_down);
      if (member != exit) order.push_back(member);
    }
    if (exit != entry) order.push_back(exit);
  }

  // Round the node in the direction that ends beside the entry when the exit is the entry's neighbour, so that
  // consecutive members stay close.
  static Position round(const std::vector<Position>& members, std::size_t start, std::size_t step, bool goes_down) {
    return members[(goes_down ? start + members.size() - step : start + step) % members.size()];
  }

  // Next, previous, next but one, …: no distance comes twice, so over the starts each link is used once, and of an even
  // number of members the last is half of them away (Williams' row-complete Latin square).
  static Position zigzag(const std::vector<Position>& members, std::size_t start, std::size_t step) {
    const std::size_t far = (step + 1) / 2;
    return members[(step % 2 == 1 ? start + far : start + members.size() - far) % members.size()];
  }

  const std::vector<std::vector<Position>>& nodes_;
  std::vector<std::vector<LaneMembers>> lanes_;
  bool is_mesh_ = false;
};

// Rings that use each link between eight GPUs once: a complete digraph has such a set unless it has four or six
// vertices (Tillson 1980).
constexpr std::size_t kOctet = 8;
constexpr std::array<std::array<std::size_t, kOctet>, kOctet - 1> kOctetRings = {{{0, 1, 2, 3, 4, 5, 6, 7},
                                                                                  {0, 2, 1, 3, 5, 4, 7, 6},
                                                                                  {0, 3, 1, 4, 6, 2, 7, 5},
                                                                                  {0, 4, 1, 5, 7, 2, 6, 3},
                                                                                  {0, 5, 3, 6, 1, 7, 4, 2},
                                                                                  {0, 6, 5, 2, 4, 3, 7, 1},
                                                                                  {0, 7, 3, 2, 5, 1, 6, 4}}};

bool is_ring_direct(Communicator& communicator, const Order& order) {
  for (std::size_t step = 0; step < order.size(); ++step) {
    if (!is_direct(communicator, {order[step], order[(step + 1) % order.size()]})) return false;
  }
  return true;
}

// Rings through a node's members that use direct links only.
std::vector<Order> mesh_orders(Communicator& communicator) {
  const std::vector<Position>& members = communicator.groups().nodes.front();
  const std::size_t count = members.size();
  std::vector<Order> orders;
  if (count == kOctet && is_full_mesh(communicator, members)) {
    for (const auto& ring : kOctetRings) {
      Order& order = orders.emplace_back();
      for (const std::size_t place : ring) order.push_back(members[place]);
    }
    return orders;
  }
  for (std::size_t stride = 1; stride < count; ++stride) {
    if (std::gcd(stride, count) != 1) continue;
    Order order;
    for (std::size_t step = 0; step < count; ++step) order.push_back(members[step * stride % count]);
    if (is_ring_direct(communicator, order)) orders.push_back(std::move(order));
  }
  return orders;
}

std::vector<Position> node_by_node(const NodeGroups& groups) {
  std::vector<Position> order;
  for (const auto& members : groups.nodes) order.insert(order.end(), members.begin(), members.end());
  return order;
}

}  // namespace

std::vector<std::vector<Position>> ring_orders(Communicator& communicator) {
  const NodeGroups& groups = communicator.groups();
  if (groups.nodes.size() == 1) {
    std::vector<std::vector<Position>> orders = mesh_orders(communicator);
    if (orders.empty()) orders.push_back(node_by_node(groups));
    return orders;
  }
  if (groups.largest_node() == 1) return {node_by_node(groups)};

  std::vector<std::vector<LaneMembers>> lanes;
  lanes.reserve(groups.nodes.size());
  for (const auto& members : groups.nodes) lanes.push_back(lanes_of(communicator, members));
  keep_common_lanes(lanes);
  if (lanes.front().empty()) return {node_by_node(groups)};
  const OrdersOverNodes over_nodes(communicator, std::move(lanes));
  std::vector<Order> orders;
  for (std::size_t channel = 0; channel < over_nodes.channels(); ++channel) {
    orders.push_back(over_nodes.order_of(channel));
  }
  return orders;
}

}  // namespace trainsim
