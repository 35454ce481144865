#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "simulator/lowering/connections.hpp"
#include "tests/lowering/machines.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

// Bytes that leave each NIC towards the fabric.
std::vector<double> nic_loads(const Machine& machine, const Transfer& transfer) {
  std::vector<double> result;
  for (const auto& [link, bytes] : loads(transfer)) {
    if (machine.topology.link(link).kind == LinkKind::nic && machine.topology.link(link).is_up) result.push_back(bytes);
  }
  return result;
}

class RingOrdersBySize : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> {
 protected:
  std::uint32_t nodes() const { return std::get<0>(GetParam()); }
  std::uint32_t gpus() const { return std::get<1>(GetParam()); }
  std::uint32_t nics() const { return std::get<2>(GetParam()); }
};

TEST_P(RingOrdersBySize, EveryChannelVisitsEveryMemberOnce) {
  const Machine machine(nodes(), gpus(), nics());
  const LoweringContext context = machine.context();
  Communicator communicator(machine.all, context);
  for (const std::vector<Position>& order : ring_orders(communicator)) {
    std::vector<Position> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted.size(), communicator.size());
    for (Position member = 0; member < communicator.size(); ++member) EXPECT_EQ(sorted[member], member);
  }
}

TEST_P(RingOrdersBySize, EveryNicCarriesTheSame) {
  const Machine machine(nodes(), gpus(), nics());
  const std::vector<double> bytes = nic_loads(machine, machine.transfer(CollectiveKind::all_reduce, 1e9));
  ASSERT_EQ(bytes.size(), std::size_t{nodes()} * nics());
  const double n = nodes() * gpus();
  for (const double one : bytes) EXPECT_NEAR(one, 2.0 * (n - 1) / n * 1e9 / nics(), 1e-3);
}

TEST_P(RingOrdersBySize, NoHopBetweenNodesChangesRails) {
  if (nodes() % 2 == 1 && nics() == 2 && gpus() == 2) GTEST_SKIP() << "an odd ring over two rails must change once";
  const Machine machine(nodes(), gpus(), nics());
  const LoweringContext context = machine.context();
  Communicator communicator(machine.all, context);
  for (const std::vector<Position>& order : ring_orders(communicator)) {
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Position from = order[place];
      const Position to = order[(place + 1) % order.size()];
      if (from / gpus() == to / gpus()) continue;
      EXPECT_EQ(communicator.lane(from).rail, communicator.lane(to).rail) << from << " -> " << to;
    }
  }
}

std::string size_name(const testing::TestParamInfo<RingOrdersBySize::ParamType>& info) {
  const auto [nodes, gpus, nics] = info.param;
  return "Nodes" + std::to_string(nodes) + "Gpus" + std::to_string(gpus) + "Nics" + std::to_string(nics);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RingOrdersBySize,
                         testing::Values(std::tuple{2U, 8U, 8U}, std::tuple{3U, 8U, 8U}, std::tuple{4U, 8U, 8U},
                                         std::tuple{5U, 4U, 4U}, std::tuple{4U, 8U, 4U}, std::tuple{3U, 8U, 4U},
                                         std::tuple{3U, 8U, 2U}, std::tuple{4U, 2U, 2U}, std::tuple{3U, 2U, 2U},
                                         std::tuple{3U, 8U, 1U}, std::tuple{7U, 1U, 1U}),
                         size_name);

TEST(RingOrders, NodesOfDifferentSizeShareTheRailsTheyHave) {
  const Machine machine(2, 4, 4);
  const LoweringContext context = machine.context();
  const std::vector<RankId> ranks = machine.first(6);
  Communicator communicator(ranks, context);
  EXPECT_EQ(ring_orders(communicator).size(), 2U);
}

TEST(RingOrders, MembersOfANodeFollowTheirGpusAndNodesTheirFirstMember) {
  const Machine machine(2, 4, 1);
  const LoweringContext context = machine.context();
  const std::vector<RankId> ranks = {RankId(6), RankId(1), RankId(5), RankId(0)};
  Communicator communicator(ranks, context);
  ASSERT_EQ(communicator.groups().nodes.size(), 2U);
  EXPECT_EQ(communicator.groups().nodes[0], (std::vector<Position>{2, 0}));
  EXPECT_EQ(communicator.groups().nodes[1], (std::vector<Position>{3, 1}));
}

NodeSpec mesh_of_eight() {
  NodeSpec node = round_node(8, 8);
  node.intra = IntraKind::xgmi_mesh;
  return node;
}

// Bytes over each link between the GPUs of a mesh.
std::vector<double> mesh_loads(const Machine& machine, const Transfer& transfer) {
  std::vector<double> result;
  for (const auto& [link, bytes] : loads(transfer)) {
    if (machine.topology.link(link).kind == LinkKind::xgmi) result.push_back(bytes);
  }
  return result;
}

TEST(RingOrdersOfAMesh, OfEightGpusUseEveryLinkOnce) {
  const Machine machine(mesh_of_eight(), round_fabric(1));
  const LoweringContext context = machine.context();
  Communicator communicator(machine.all, context);
  std::set<std::pair<Position, Position>> used;
  for (const std::vector<Position>& order : ring_orders(communicator)) {
    for (std::size_t place = 0; place < 8; ++place) used.emplace(order[place], order[(place + 1) % 8]);
  }
  EXPECT_EQ(used.size(), 56U);
  const Transfer transfer = machine.transfer(CollectiveKind::all_reduce, 1e9);
  for (const double bytes : mesh_loads(machine, transfer)) EXPECT_NEAR(bytes, 2.0 * 7 / 8 * 1e9 / 7, 1e-3);
}

TEST(RingOrdersOfAMesh, OverAnEvenNumberOfNodesUseEveryLinkOfANodeOnce) {
  const Machine machine(mesh_of_eight(), round_fabric(4));
  const Transfer transfer = machine.transfer(CollectiveKind::all_reduce, 1e9);
  const std::vector<double> bytes = mesh_loads(machine, transfer);
  ASSERT_EQ(bytes.size(), 4U * 56);
  for (const double one : bytes) EXPECT_NEAR(one, 2.0 * 31 / 32 * 1e9 / 8, 1e-3);
  for (const double one : nic_loads(machine, transfer)) EXPECT_NEAR(one, 2.0 * 31 / 32 * 1e9 / 8, 1e-3);
}

// Two trays of two GPUs and NICs: two rails with two lanes each.
NodeSpec node_of_trays() {
  NodeSpec node = round_node(4, 4);
  node.gpus_per_tray = 2;
  node.pcie.switches.clear();
  return node;
}

TEST(RingOrdersOfTrays, UseEveryNicAndMakeOnePartOfEachRail) {
  for (const std::uint32_t nodes : {2U, 3U, 4U}) {
    const Machine machine(node_of_trays(), round_fabric(nodes, FabricKind::rail_optimized));
    for (const char* algorithm : {"ring", "tree"}) {
      const Transfer transfer = machine.transfer(CollectiveKind::all_reduce, 1e9, algorithm);
      EXPECT_EQ(transfer.phases.front().parts.size(), 2U) << algorithm;
      EXPECT_EQ(nic_loads(machine, transfer).size(), std::size_t{nodes} * 4) << algorithm;
    }
    const double n = nodes * 4;
    for (const double one : nic_loads(machine, machine.transfer(CollectiveKind::all_reduce, 1e9))) {
      EXPECT_NEAR(one, 2.0 * (n - 1) / n * 1e9 / 4, 1e-3);
    }
  }
}

TEST(RingOrdersOfTrays, PairTheLanesOfOneRailWhereverTheyAre) {
  const Machine machine(node_of_trays(), round_fabric(2, FabricKind::rail_optimized));
  const LoweringContext context = machine.context();
  const std::vector<RankId> ranks = {RankId(0), RankId(1), RankId(6), RankId(7)};  // other trays, the same rails
  Communicator communicator(ranks, context);
  EXPECT_EQ(ring_orders(communicator).size(), 2U);
}

TEST(RingOrdersOfTrays, OverTwoNvl72DomainsUseAllNics) {
  const Machine machine(catalog_node("gb200-nvl72"), round_fabric(2, FabricKind::rail_optimized));
  const std::vector<double> bytes = nic_loads(machine, machine.transfer(CollectiveKind::all_reduce, 1e9));
  ASSERT_EQ(bytes.size(), 144U);
  for (const double one : bytes) EXPECT_NEAR(one, 2.0 * 143 / 144 * 1e9 / 72, 1e-3);
}

}  // namespace
}  // namespace trainsim
