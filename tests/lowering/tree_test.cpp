#include <gtest/gtest.h>

#include <cmath>

#include "tests/lowering/machines.hpp"

namespace trainsim {
namespace {

using Kind = CollectiveKind;

TEST(Tree, InOneNodeIsAChainUpAndDown) {
  const Machine machine(1, 4, 4);
  const double expected = kBase + 2 * 3 * (kNvlinkHop + kNvlinkWire) + 2 * 1e9 / kNvlinkBytesPerS;
  EXPECT_NEAR(machine.time_s(machine.transfer(Kind::all_reduce, 1e9, "tree")), expected, 1e-12);
}

TEST(Tree, LatencyGrowsWithTheLogarithmOfTheNodes) {
  for (const std::uint32_t nodes : {2U, 4U, 8U, 16U, 64U}) {
    const Machine machine(nodes, 1, 1);
    const Transfer transfer = machine.transfer(Kind::all_reduce, 1.0, "tree");
    const double expected = kBase + 2 * std::log2(nodes) * (kNetworkHop + machine.network_wire_s());
    EXPECT_NEAR(transfer.phases.front().parts.front().latency_s, expected, 1e-12) << nodes;
  }
}

TEST(Tree, NoNicCarriesMoreThanTwiceThePayload) {
  for (const std::uint32_t nodes : {2U, 3U, 5U, 8U, 13U, 32U}) {
    const Machine machine(nodes, 1, 1);
    double most = 0.0;
    for (const auto& entry : loads(machine.transfer(Kind::all_reduce, 1e9, "tree")))
      most = std::max(most, entry.second);
    EXPECT_LE(most, 2e9 + 1.0) << nodes;
  }
}

TEST(Tree, EveryMemberSendsUpOnceAndReceivesDownOnce) {
  const Machine machine(6, 4, 4);
  const Transfer transfer = machine.transfer(Kind::all_reduce, 1e9, "tree");
  EXPECT_NEAR(bytes_sent(machine.topology, transfer), 2.0 * 23 * 1e9, 1.0);
}

TEST(Tree, RailsCarryEqualLoad) {
  const Machine machine(8, 8, 8);
  EXPECT_EQ(machine.transfer(Kind::all_reduce, 1e9, "tree").phases.front().parts.size(), 8U);
}

TEST(Tree, IsFasterForSmallPayloadsOnManyNodesAndTheRingForLargeOnes) {
  const Machine machine(64, 8, 8);
  const auto time_s = [&](double bytes, const char* algorithm) {
    return machine.time_s(machine.transfer(Kind::all_reduce, bytes, algorithm));
  };
  EXPECT_LT(time_s(1e4, "tree"), time_s(1e4, "ring"));
  EXPECT_GT(time_s(1e12, "tree"), time_s(1e12, "ring"));
  EXPECT_EQ(time_s(1e4, "auto"), time_s(1e4, "tree"));
  EXPECT_EQ(time_s(1e12, "auto"), time_s(1e12, "ring"));
}

TEST(Tree, OverTwoNodesIsFastAndYetNotChosenForLargePayloads) {
  const Machine machine(2, 8, 8);
  const auto time_s = [&](double bytes, const char* algorithm) {
    return machine.time_s(machine.transfer(Kind::all_reduce, bytes, algorithm));
  };
  EXPECT_LT(time_s(1e9, "tree"), time_s(1e9, "ring"));
  EXPECT_EQ(time_s(1e9, "auto"), time_s(1e9, "ring"));
  EXPECT_EQ(time_s(1e4, "auto"), time_s(1e4, "tree"));
}

TEST(Tree, EfficiencyBelowTheRingsLengthensItsConnections) {
  CollectiveCatalog catalog = round_catalog();
  catalog.tree_efficiency = 0.8;
  const Machine machine(round_node(8, 8), round_fabric(4), catalog);
  const Machine ideal(4, 8, 8);
  const double bytes = machine.transfer(Kind::all_reduce, 1e9, "tree").phases.front().parts.front().bytes;
  EXPECT_DOUBLE_EQ(bytes, ideal.transfer(Kind::all_reduce, 1e9, "tree").phases.front().parts.front().bytes / 0.8);
}

}  // namespace
}  // namespace trainsim
