// Closed forms on idle machines: time = latency of the steps + bytes of the busiest link over its bandwidth.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/lowering/machines.hpp"

namespace trainsim {
namespace {

using Kind = CollectiveKind;

constexpr double kBytes = 1e9;
constexpr double kIntraStep = kNvlinkHop + kNvlinkWire;

TEST(RingInOneNode, AllReduceTakesTwoRounds) {
  const Machine machine(1, 8, 8);
  const double expected = kBase + 14 * kIntraStep + 2.0 * 7 / 8 * kBytes / kNvlinkBytesPerS;
  EXPECT_NEAR(machine.time_s(machine.transfer(Kind::all_reduce, kBytes)), expected, 1e-12);
}

TEST(RingInOneNode, AllGatherAndReduceScatterTakeOne) {
  const Machine machine(1, 8, 8);
  const double expected = kBase + 7 * kIntraStep + 7.0 / 8 * kBytes / kNvlinkBytesPerS;
  EXPECT_NEAR(machine.time_s(machine.transfer(Kind::all_gather, kBytes)), expected, 1e-12);
  EXPECT_NEAR(machine.time_s(machine.transfer(Kind::reduce_scatter, kBytes)), expected, 1e-12);
}

TEST(RingInOneNode, BroadcastSendsThePayloadOverEachHop) {
  const Machine machine(1, 4, 4);
  const Transfer transfer = machine.transfer(Kind::broadcast, kBytes);
  EXPECT_NEAR(machine.time_s(transfer), kBase + 3 * kIntraStep + kBytes / kNvlinkBytesPerS, 1e-12);
  EXPECT_NEAR(bytes_sent(machine.topology, transfer), 3 * kBytes, 1.0);
  EXPECT_EQ(bytes_into(machine.topology, loads(transfer), machine.topology.gpus().front()), 0.0);
}

TEST(PairsInOneNode, AllToAllKeepsOneShareAtHome) {
  const Machine machine(1, 8, 8);
  const Transfer transfer = machine.transfer(Kind::all_to_all, kBytes);
  EXPECT_EQ(transfer.phases.front().parts.size(), 7U);
  EXPECT_NEAR(machine.time_s(transfer), kBase + kIntraStep + 7.0 / 8 * kBytes / kNvlinkBytesPerS, 1e-12);
  EXPECT_NEAR(bytes_sent(machine.topology, transfer), 7 * kBytes, 1.0);
}

TEST(RingOverMesh, UsesEveryStrideThatVisitsAllGpus) {
  NodeSpec node = round_node(4, 0);
  node.intra = IntraKind::nvlink_mesh;
  const Machine machine(node, round_fabric(1));
  const Transfer transfer = machine.transfer(Kind::all_reduce, kBytes);
  EXPECT_EQ(transfer.phases.front().parts.size(), 2U);
  const double link = kNvlinkBytesPerS / 3;
  EXPECT_NEAR(machine.time_s(transfer), kBase + 6 * kIntraStep + 2.0 * 3 / 4 * kBytes / 2 / link, 1e-12);
}

TEST(RingOverNodes, OneRankPerNodeIsBoundByItsNic) {
  const Machine machine(16, 1, 1);
  const double step = kNetworkHop + machine.network_wire_s();
  const double expected = kBase + 30 * step + 2.0 * 15 / 16 * kBytes / kNicBytesPerS;
  EXPECT_NEAR(machine.time_s(machine.transfer(Kind::all_reduce, kBytes)), expected, 1e-12);
}

TEST(RingOverNodes, AllRailsCarryTheirShare) {
  const Machine machine(4, 8, 8);
  const Transfer transfer = machine.transfer(Kind::all_reduce, kBytes);
  EXPECT_EQ(transfer.phases.front().parts.size(), 8U);
  const double network_step = kNetworkHop + machine.network_wire_s();
  const double expected =
      kBase + 2 * (27 * kIntraStep + 4 * network_step) + 2.0 * 31 / 32 * kBytes / (8 * kNicBytesPerS);
  EXPECT_NEAR(machine.time_s(transfer), expected, 1e-12);
}

TEST(RingOverNodes, ABroadcastDoesNotReturnToItsRoot) {
  const Machine machine(4, 8, 8);
  const double network_step = kNetworkHop + machine.network_wire_s();
  const double expected = kBase + 28 * kIntraStep + 3 * network_step + kBytes / (8 * kNicBytesPerS);
  EXPECT_NEAR(machine.time_s(machine.transfer(Kind::broadcast, kBytes)), expected, 1e-12);
}

TEST(RingOverNodes, ShardsOfEqualLocalRankShareNothing) {
  const Machine machine(4, 8, 8);
  const std::vector<RankId> ranks = {RankId(3), RankId(11), RankId(19), RankId(27)};
  const Transfer transfer = machine.transfer(Kind::all_gather, kBytes, "ring", ranks);
  ASSERT_EQ(transfer.phases.front().parts.size(), 1U);
  const std::map<LinkId, double> load = loads(transfer);
  for (const auto& [link, bytes] : load) EXPECT_NEAR(bytes, 0.75 * kBytes, 1.0) << machine.topology.name(link);
}

TEST(HierarchicalAllReduce, AddsItsThreePhases) {
  const Machine machine(4, 8, 8);
  const Transfer transfer = machine.transfer(Kind::all_reduce, kBytes, "hierarchical");
  ASSERT_EQ(transfer.phases.size(), 3U);
  EXPECT_EQ(transfer.phases[0].parts.size(), 4U);
  EXPECT_EQ(transfer.phases[1].parts.size(), 8U);
  const double within = kBase + 7 * kIntraStep + 7.0 / 8 * kBytes / kNvlinkBytesPerS;
  const double across = kBase + 6 * (kNetworkHop + machine.network_wire_s()) + 2.0 * 3 / 4 * kBytes / 8 / kNicBytesPerS;
  EXPECT_NEAR(machine.time_s(transfer), 2 * within + across, 1e-12);
}

TEST(HierarchicalAllReduce, RefusesNodesOfDifferentSize) {
  const Machine machine(2, 4, 4);
  EXPECT_THROW((void)machine.transfer(Kind::all_reduce, kBytes, "hierarchical", machine.first(6)),
               std::invalid_argument);
}

TEST(Send, IsOneConnectionFromFirstToSecond) {
  const Machine machine(2, 4, 4);
  const std::vector<RankId> pair = {RankId(5), RankId(1)};
  const Transfer transfer = machine.transfer(Kind::send, kBytes, "auto", pair);
  const std::map<LinkId, double> load = loads(transfer);
  EXPECT_NEAR(bytes_out_of(machine.topology, load, machine.topology.vertex_of(GpuId(5))), kBytes, 1.0);
  EXPECT_NEAR(bytes_into(machine.topology, load, machine.topology.vertex_of(GpuId(1))), kBytes, 1.0);
  const double expected = kBase + kNetworkHop + machine.network_wire_s() + kBytes / kNicBytesPerS;
  EXPECT_NEAR(machine.time_s(transfer), expected, 1e-12);
}

TEST(Send, BetweenNodesIsLateByTheDelayOfMessages) {
  const Machine machine(2, 4, 4);
  LoweringContext slow = machine.context();
  slow.send_delay_s = 0.25;
  const auto time_s = [&](const std::vector<RankId>& pair, const LoweringContext& context) {
    const Collective send{.name = "test", .kind = Kind::send, .bytes = kBytes};
    return idle_time_s(lower(send, {}, pair, context), context);
  };
  const std::vector<RankId> apart = {RankId(5), RankId(1)};
  const std::vector<RankId> together = {RankId(2), RankId(1)};
  EXPECT_NEAR(time_s(apart, slow), 0.25 + time_s(apart, machine.context()), 1e-12);
  EXPECT_EQ(time_s(together, slow), time_s(together, machine.context()));
}

TEST(Send, NeedsExactlyTwo) {
  const Machine machine(1, 4, 4);
  EXPECT_THROW((void)machine.transfer(Kind::send, kBytes, "auto", machine.first(3)), std::invalid_argument);
}

TEST(Lowering, OneRankHasNothingToSend) {
  const Machine machine(1, 4, 4);
  for (const std::string& algorithm : algorithm_names()) {
    if (!has_algorithm(Kind::all_reduce, algorithm)) continue;
    EXPECT_TRUE(machine.transfer(Kind::all_reduce, kBytes, algorithm, machine.first(1)).phases.empty());
  }
}

TEST(Lowering, UnknownAlgorithmIsAnError) {
  const Machine machine(1, 4, 4);
  EXPECT_THROW((void)machine.transfer(Kind::all_reduce, kBytes, "star"), std::invalid_argument);
  EXPECT_THROW((void)machine.transfer(Kind::all_gather, kBytes, "tree"), std::invalid_argument);
  EXPECT_FALSE(has_algorithm(Kind::all_gather, "hierarchical"));
  EXPECT_TRUE(has_algorithm(Kind::all_gather, "auto"));
}

TEST(Lowering, EfficiencyLowersTheUsableCapacity) {
  CollectiveCatalog catalog = round_catalog();
  catalog.nvlink.efficiency = 0.5;
  const Machine lossy(round_node(8, 8), round_fabric(1), catalog);
  const double expected = kBase + 7 * kIntraStep + 7.0 / 8 * kBytes / (0.5 * kNvlinkBytesPerS);
  EXPECT_NEAR(lossy.time_s(lossy.transfer(Kind::all_gather, kBytes)), expected, 1e-12);
}

TEST(Lowering, RemovedCablesChangeTheUses) {
  Machine machine(round_node(4, 4), round_fabric(4, FabricKind::rail_optimized));
  const Transfer whole = machine.transfer(Kind::all_reduce, kBytes);
  for (std::size_t link = 0; link < machine.topology.link_count(); ++link) {
    const std::string name = machine.topology.name(LinkId(link));
    if (machine.topology.link(LinkId(link)).kind == LinkKind::nic && name == "node1.nic2") {
      machine.topology.remove_link(LinkId(link));
    }
  }
  const Transfer cut = machine.transfer(Kind::all_reduce, kBytes);
  EXPECT_GT(machine.time_s(cut), machine.time_s(whole));
  for (const auto& [link, bytes] : loads(cut)) EXPECT_FALSE(machine.topology.link(link).is_removed) << bytes;
}

}  // namespace
}  // namespace trainsim
