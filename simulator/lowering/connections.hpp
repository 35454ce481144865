// What the algorithms share: a communicator seen node by node, the routes of its connections, and what parts use of the
// links. Members are named by position in the communicator.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/lowering/lowering.hpp"
#include "simulator/lowering/pattern.hpp"

namespace trainsim {

using Position = std::uint32_t;

struct Connection {
  Position from = 0;
  Position to = 0;
  std::uint32_t times = 1;  // as many equal ones
};

// The members of a communicator by node. Nodes come in order of their first member, the members of a node in order of
// their GPUs, which follows the node's wiring.
struct NodeGroups {
  std::vector<std::vector<Position>> nodes;

  [[nodiscard]] bool has_equal_nodes() const;
  [[nodiscard]] std::size_t largest_node() const;
};

// Sums over links are kept in an array of all links where at least one link in so many is crossed, else they are
// sorted.
constexpr std::size_t kDenseFactor = 16;

// One step of the slowest connection within nodes and between nodes, software plus wire, and the least share that a
// protocol carries there.
struct Steps {
  ByProtocol intra_s, inter_s;
  ByProtocol intra_share = same_for_all(1.0), inter_share = same_for_all(1.0);
  bool leaves_node = false;
  bool uses_host = false;  // a connection within a node is not over the accelerators' own links
};

// Of a payload over a link that carries only `share` of it in the same time; 0 where the protocol cannot be used.
constexpr double wire_bytes(double bytes, double share) { return share > 0 ? bytes / share : 0.0; }

class Communicator {
 public:
  Communicator(std::span<const RankId> ranks, const LoweringContext& context);

  [[nodiscard]] Position size() const { return static_cast<Position>(gpus_.size()); }
  [[nodiscard]] const NodeGroups& groups() const { return groups_; }
  [[nodiscard]] std::span<const RankId> ranks() const { return ranks_; }  // those it was made from
  [[nodiscard]] const LoweringContext& context() const { return context_; }
  // The rail of the NIC that the member would use, and the lane: which of its node's NICs on that rail it is, among
  // those that members use. Zeros for a member without a NIC.
  struct Lane {
    std::uint32_t number = 0;
    std::uint32_t rail = 0;
    friend auto operator<=>(const Lane&, const Lane&) = default;
  };
  Lane lane(Position member);

  struct Route {
    std::span<const LinkId> links;
    ByProtocol latency_s;
    ByProtocol share;  // the least of its links, but of the network's alone where it leaves the node
    bool uses_host = false;
  };
  // Throws NoRoute. The span lives until the next call.
  Route route(Connection connection);

  // What a part of these connections uses: each link once, by id. Their steps widen `steps`.
  std::vector<LinkUse> uses(std::span<const Connection> connections, Steps& steps);
  // What each protocol carries of Simple's rate in a part with these uses and steps: over several nodes the links
  // between accelerators and those of the network each lose their share, and whichever is slower then sets the pace.
  [[nodiscard]] ByProtocol shares(const std::vector<LinkUse>& uses, const Steps& steps) const;

 private:
  struct KnownRoute {
    Position to = 0;
    std::uint32_t first = 0;  // into pool_
    std::uint32_t count = 0;
    ByProtocol latency_s, share;
    bool uses_host = false;
  };
  [[nodiscard]] KnownRoute measured(Connection connection, const std::vector<LinkId>& links) const;
  const KnownRoute& find_route(Connection connection);
  void group_by_node();
  void number_lanes();
  [[nodiscard]] std::vector<LinkUse> counted_in_array(std::span<const Connection> connections);
  [[nodiscard]] std::vector<LinkUse> counted_by_sorting(std::span<const Connection> connections);

  const LoweringContext& context_;
  std::span<const RankId> ranks_;
  std::vector<GpuId> gpus_;
  std::vector<std::uint32_t> nodes_;  // by member: its place in groups_.nodes
  NodeGroups groups_;
  std::vector<Lane> lanes_;            // by member; empty until asked for
  std::vector<std::uint32_t> counts_;  // by link, all 0 between uses; empty until needed
  std::vector<LinkId> pool_;
  std::vector<std::vector<KnownRoute>> known_;  // by sender; an algorithm uses few receivers of each
};

// One cyclic order of the members per channel. Rings of one payload run side by side, each with its share.
//
// Within one node, and with one rank per node, there is one channel (over a full mesh of direct links: seven for eight
// GPUs, which use each link once, else one for each stride that visits all GPUs). With several ranks per node over
// several nodes there is one per lane (a NIC of each node, all of one rail) that all nodes have: channel r enters node
// j by lane e_j and leaves it by lane e_(j+1), the entry of the next node, so no hop between nodes changes rails:
//
//     node 0        node 1        node 2         even nodes: in by r, out by r + 1
//     r ... r+1  ->  r+1 ... r  ->  r ...         odd nodes: back to r; the last of an odd number goes by r + 2
//
// Over all channels each NIC is entered once and left once per node. A lane that two or more of a node's members share
// is entered and left by itself. In a full mesh the neighbour is half the lanes away, and the members between the two
// come in an order in which the channels of an even number of lanes share no link.
std::vector<std::vector<Position>> ring_orders(Communicator& communicator);

}  // namespace trainsim
