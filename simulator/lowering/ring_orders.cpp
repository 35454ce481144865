#include <algorithm>
#include <numeric>

#include "simulator/lowering/connections.hpp"

namespace trainsim {
namespace {

// The members of each rail of one node, rails in order of their number.
struct Rail {
  std::uint32_t number = 0;
  std::vector<Position> members;
};

std::vector<Rail> rails_of(Communicator& communicator, const std::vector<Position>& members) {
  std::vector<Rail> rails;
  for (const Position member : members) {
    const std::uint32_t number = communicator.rail(member);
    auto place = std::lower_bound(rails.begin(), rails.end(), number,
                                  [](const Rail& rail, std::uint32_t value) { return rail.number < value; });
    if (place == rails.end() || place->number != number) place = rails.insert(place, Rail{number, {}});
    place->members.push_back(member);
  }
  return rails;
}

// Rails that all nodes have, as places in each node's list; nodes that differ keep only what they share.
void keep_common_rails(std::vector<std::vector<Rail>>& nodes) {
  std::vector<std::uint32_t> common;
  for (const Rail& rail : nodes.front()) common.push_back(rail.number);
  for (const auto& rails : nodes) {
    std::erase_if(common, [&rails](std::uint32_t number) {
      return std::none_of(rails.begin(), rails.end(), [number](const Rail& rail) { return rail.number == number; });
    });
  }
  for (auto& rails : nodes) {
    std::erase_if(rails, [&common](const Rail& rail) {
      return std::find(common.begin(), common.end(), rail.number) == common.end();
    });
  }
}

// Which rail, as a place in the common list, channel `channel` enters each node by.
std::size_t entry_rail(std::size_t channel, std::size_t node, std::size_t node_count, std::size_t rail_count) {
  if (node % 2 == 1) return (channel + 1) % rail_count;
  const bool is_odd_end = node_count % 2 == 1 && node + 1 == node_count && rail_count > 2;
  return is_odd_end ? (channel + 2) % rail_count : channel;
}

// Appends a node's members from `entry` to `exit`: round the node in the direction that ends beside the entry, when the
// two are neighbours, so that consecutive members stay close.
void append_path(const std::vector<Position>& members, Position entry, Position exit, std::vector<Position>& order) {
  const std::size_t count = members.size();
  const auto start = static_cast<std::size_t>(std::find(members.begin(), members.end(), entry) - members.begin());
  const bool goes_down = members[(start + 1) % count] == exit;
  order.push_back(entry);
  for (std::size_t step = 1; step < count; ++step) {
    const Position member = members[(goes_down ? start + count - step : start + step) % count];
    if (member != exit) order.push_back(member);
  }
  if (exit != entry) order.push_back(exit);
}

std::vector<Position> channel_order(Communicator& communicator, const std::vector<std::vector<Rail>>& rails,
                                    std::size_t channel) {
  const auto& nodes = communicator.groups().nodes;
  const std::size_t rail_count = rails.front().size();
  // A rail with several members in every node can be entered and left by itself.
  const bool stays_on_rail = std::all_of(rails.begin(), rails.end(), [channel](const std::vector<Rail>& node_rails) {
    return node_rails[channel].members.size() > 1;
  });
  const auto entry = [&](std::size_t node) {
    return stays_on_rail ? channel : entry_rail(channel, node, nodes.size(), rail_count);
  };
  std::vector<Position> order;
  order.reserve(communicator.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const Position first = rails[node][entry(node)].members.front();
    Position last = rails[node][entry((node + 1) % nodes.size())].members.back();
    // An odd number of nodes with two rails cannot close without changing rails once.
    if (last == first && nodes[node].size() > 1)
      last = nodes[node].back() == first ? nodes[node].front() : nodes[node].back();
    append_path(nodes[node], first, last, order);
  }
  return order;
}

bool is_direct(Communicator& communicator, Connection connection) {
  return communicator.route(connection).links.size() == 1;
}

// Strides through a node's members that visit all of them over direct links only.
std::vector<std::vector<Position>> mesh_orders(Communicator& communicator) {
  const std::vector<Position>& members = communicator.groups().nodes.front();
  const std::size_t count = members.size();
  std::vector<std::vector<Position>> orders;
  for (std::size_t stride = 1; stride < count; ++stride) {
    if (std::gcd(stride, count) != 1) continue;
    std::vector<Position> order;
    for (std::size_t step = 0; step < count; ++step) order.push_back(members[step * stride % count]);
    bool all_direct = true;
    for (std::size_t step = 0; step < count && all_direct; ++step) {
      all_direct = is_direct(communicator, {order[step], order[(step + 1) % count]});
    }
    if (all_direct) orders.push_back(std::move(order));
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

  std::vector<std::vector<Rail>> rails;
  rails.reserve(groups.nodes.size());
  for (const auto& members : groups.nodes) rails.push_back(rails_of(communicator, members));
  keep_common_rails(rails);
  std::vector<std::vector<Position>> orders;
  for (std::size_t channel = 0; channel < rails.front().size(); ++channel) {
    orders.push_back(channel_order(communicator, rails, channel));
  }
  if (orders.empty()) orders.push_back(node_by_node(groups));
  return orders;
}

}  // namespace trainsim
