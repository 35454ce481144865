// Degrees, counts and capacities of every kind of fabric against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/topologies/machines.hpp"

namespace trainsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

FabricLevel level(std::string name, std::optional<std::uint32_t> ports, std::optional<std::uint32_t> gpus = {},
                  double oversubscription = 1.0) {
  return {.name = std::move(name), .ports = ports, .gpus = gpus, .oversubscription = oversubscription};
}

NodeSpec single_gpu_node() {
  NodeSpec node = node_of(1, IntraKind::none);
  node.pcie.sockets = 1;
  return node;
}

TEST(Fabric, SingleNodeHasNone) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 1));
  EXPECT_TRUE(devices(topology, DeviceKind::fabric_switch).empty());
  EXPECT_EQ(count_links(topology, LinkKind::nic), 0U);
  EXPECT_TRUE(topology.tier_names.empty());
}

TEST(SingleSwitch, TakesEveryNicHoweverMany) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::single_switch, 100, 16));
  EXPECT_EQ(devices(topology, DeviceKind::fabric_switch).size(), 1U);
  EXPECT_EQ(count_links(topology, LinkKind::nic), 2U * 100 * 8);
  EXPECT_EQ(count_links(topology, LinkKind::fabric), 0U);
  EXPECT_THAT(topology.tier_names, ElementsAre("leaf"));
}

TEST(SingleSwitch, RefusesOversubscriptionAndLevels) {
  FabricSpec fabric = fabric_of(FabricKind::single_switch, 4);
  fabric.oversubscription = 2.0;
  EXPECT_THROW(build_topology(node_of(), fabric), std::invalid_argument);
  fabric.oversubscription = 1.0;
  fabric.levels = {level("leaf", 64)};
  EXPECT_THROW(build_topology(node_of(), fabric), std::invalid_argument);
}

TEST(LeafSpine, HalfThePortsOfANonBlockingLeafGoUp) {
  const Topology topology = build_topology(single_gpu_node(), fabric_of(FabricKind::leaf_spine, 32, 16));
  EXPECT_EQ(tier(topology, 0).size(), 4U);
  ASSERT_EQ(tier(topology, 1).size(), 1U);
  EXPECT_EQ(topology.device(tier(topology, 1).front()).count, 8U);  // one cable from each leaf to each spine
  ASSERT_EQ(up_links(topology, 0).size(), 4U);
  for (const LinkId id : up_links(topology, 0)) EXPECT_EQ(topology.link(id).cables, 8U);
  // Bisection: half the machine's NICs at full speed.
  EXPECT_DOUBLE_EQ(up_capacity(topology, 0) / 2.0, 32 / 2 * kCable);
  EXPECT_THAT(topology.tier_names, ElementsAre("leaf", "spine"));
}

TEST(LeafSpine, OversubscriptionIsDownToUpPorts) {
  FabricSpec fabric = fabric_of(FabricKind::leaf_spine, 48, 16);
  fabric.oversubscription = 3.0;
  const Topology topology = build_topology(single_gpu_node(), fabric);
  EXPECT_EQ(tier(topology, 0).size(), 48U / 12);
  for (const LinkId id : up_links(topology, 0)) {
    EXPECT_DOUBLE_EQ(topology.link(id).capacity_bytes_per_s(), 12 * kCable / 3.0);
  }
}

TEST(LeafSpine, PortsRoundDownwardsWhenTheRatioDoesNotDivideThem) {
  FabricSpec fabric = fabric_of(FabricKind::leaf_spine, 43, 64);
  fabric.oversubscription = 2.0;
  fabric.nodes = 43 + 42;
  const Topology topology = build_topology(single_gpu_node(), fabric);  // 42 down, 22 up
  EXPECT_EQ(tier(topology, 0).size(), 3U);
  EXPECT_EQ(topology.link(up_links(topology, 0).front()).cables, 22U);
}

TEST(LeafSpine, ALeafThatHoldsEverythingNeedsNoSpine) {
  const Topology full = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 8, 64));
  EXPECT_EQ(devices(full, DeviceKind::fabric_switch).size(), 1U);
  const Topology one_more = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 9, 64));
  EXPECT_EQ(tier(one_more, 0).size(), 3U);  // four nodes of eight NICs below each
  EXPECT_EQ(tier(one_more, 1).size(), 1U);
}

TEST(LeafSpine, LastLeafMayBePartlyFilledAndKeepsItsCablesUp) {
  const Topology topology = build_topology(single_gpu_node(), fabric_of(FabricKind::leaf_spine, 19, 16));
  ASSERT_EQ(tier(topology, 0).size(), 3U);
  const VertexId last = tier(topology, 0).back();
  EXPECT_EQ(boost::in_degree(last.index(), topology.graph()), 3U + 1U);
  for (const LinkId id : up_links(topology, 0)) EXPECT_EQ(topology.link(id).cables, 8U);
}

TEST(LeafSpine, CablesAreNoFasterThanTheNic) {
  FabricSpec fabric = fabric_of(FabricKind::leaf_spine, 32, 16);
  fabric.link_bandwidth_bytes_per_s = 2 * kCable;
  const Topology topology = build_topology(single_gpu_node(), fabric);
  EXPECT_DOUBLE_EQ(topology.link(links_named(topology, "node0.nic0").front()).bandwidth_bytes_per_s, kCable);
  EXPECT_DOUBLE_EQ(topology.link(up_links(topology, 0).front()).bandwidth_bytes_per_s, 2 * kCable);
}

TEST(LeafSpine, SaysHowManyPortsANodeNeeds) {
  EXPECT_THAT([] { build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 3, 12)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("too few for one node of 8 NICs")));
}

class FatTree : public ::testing::TestWithParam<std::uint32_t> {};

// Al-Fares et al.: k pods of k/2 leaves and k/2 spines, (k/2)^2 core switches, k^3/4 hosts at full bisection.
TEST_P(FatTree, HasTheClosedFormCountsOfItsPortNumber) {
  const std::uint32_t k = GetParam();
  const std::uint32_t hosts = k * k * k / 4;
  const Topology topology = build_topology(single_gpu_node(), fabric_of(FabricKind::fat_tree, hosts, k));
  EXPECT_EQ(tier(topology, 0).size(), k * k / 2);
  ASSERT_EQ(tier(topology, 1).size(), k);
  for (const VertexId pod : tier(topology, 1)) EXPECT_EQ(topology.device(pod).count, k / 2);
  ASSERT_EQ(tier(topology, 2).size(), 1U);
  EXPECT_EQ(topology.device(tier(topology, 2).front()).count, k * k / 4);
  EXPECT_DOUBLE_EQ(up_capacity(topology, 0), hosts * kCable);
  EXPECT_DOUBLE_EQ(up_capacity(topology, 1), hosts * kCable);
  EXPECT_THAT(topology.tier_names, ElementsAre("leaf", "spine", "core"));
}
INSTANTIATE_TEST_SUITE_P(Ports, FatTree, ::testing::Values(4U, 6U, 8U, 16U));

TEST(FatTreeLimits, OneNodeMoreThanItHoldsIsRefused) {
  EXPECT_THAT([] { build_topology(single_gpu_node(), fabric_of(FabricKind::fat_tree, 17, 4)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("holds 16 nodes and 17 are asked for")));
}

TEST(FatTreeLimits, PodsThatOneSpineTierCanJoinNeedNoCore) {
  const Topology topology = build_topology(single_gpu_node(), fabric_of(FabricKind::fat_tree, 8, 4));
  EXPECT_EQ(tier(topology, 0).size(), 4U);
  EXPECT_EQ(tier(topology, 1).size(), 1U);
  EXPECT_TRUE(tier(topology, 2).empty());
}

TEST(FatTreeLimits, OversubscribedLeavesThinEveryTierAbove) {
  FabricSpec fabric = fabric_of(FabricKind::fat_tree, 96, 8);
  fabric.oversubscription = 3.0;  // six down, two up; pods of four leaves, 24 nodes
  const Topology topology = build_topology(single_gpu_node(), fabric);
  EXPECT_EQ(tier(topology, 1).size(), 4U);
  EXPECT_DOUBLE_EQ(up_capacity(topology, 0), 96 * kCable / 3.0);
  EXPECT_DOUBLE_EQ(up_capacity(topology, 1), 96 * kCable / 3.0);
}

TEST(RailOptimized, HasALeafPerRailAndUnitAndSharedSpines) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::rail_optimized, 40, 32));
  EXPECT_EQ(tier(topology, 0).size(), 8U * 3);  // units of 16 nodes
  EXPECT_EQ(tier(topology, 1).size(), 1U);
  for (const VertexId nic : devices(topology, DeviceKind::nic)) {
    const auto edge = boost::out_edges(nic.index(), topology.graph());
    for (auto e = edge.first; e != edge.second; ++e) {
      const LinkId id = topology.graph()[*e];
      if (topology.link(id).kind != LinkKind::nic) continue;
      EXPECT_EQ(topology.device(topology.target(id)).index % 8, topology.device(nic).index);
    }
  }
  EXPECT_DOUBLE_EQ(up_capacity(topology, 0), 8 * 3 * 16 * kCable);
}

TEST(RailOptimized, KeepsItsSpinesEvenWhenOneUnitHoldsAllNodes) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(tier(topology, 0).size(), 8U);
  EXPECT_EQ(tier(topology, 1).size(), 1U);
}

TEST(RailOptimized, NeedsOneNicPerGpu) {
  NodeSpec node = node_of();
  node.nics.count = 4;
  EXPECT_THAT([&] { build_topology(node, fabric_of(FabricKind::rail_optimized, 2)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("one NIC per GPU")));
}

TEST(RailOnly, EachRailIsAFabricOfItsOwn) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::rail_only, 40, 32));
  EXPECT_EQ(tier(topology, 0).size(), 8U * 3);
  EXPECT_EQ(tier(topology, 1).size(), 8U);
  for (const VertexId spine : tier(topology, 1)) EXPECT_EQ(boost::in_degree(spine.index(), topology.graph()), 3U);
}

TEST(RailOnly, ASingleUnitNeedsNoSpines) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::rail_only, 32, 32));
  EXPECT_EQ(tier(topology, 0).size(), 8U);
  EXPECT_TRUE(tier(topology, 1).empty());
}

FabricSpec pods_of_3072(FabricKind kind) {
  FabricSpec fabric = fabric_of(kind, 2048);
  fabric.levels = {level("leaf", 64), level("pod", {}, 3072, 7.0), level("core", {})};
  return fabric;
}

TEST(WrittenOutLevels, Of16384GpusInPodsWith7To1AboveThem) {
  const Topology topology = build_topology(node_of(), pods_of_3072(FabricKind::leaf_spine));
  EXPECT_EQ(topology.gpus().size(), 16384U);
  EXPECT_THAT(topology.tier_names, ElementsAre("leaf", "pod", "core"));
  EXPECT_EQ(tier(topology, 0).size(), 512U);  // four nodes below each
  EXPECT_EQ(tier(topology, 1).size(), 6U);    // the last one has 128 of 384 nodes
  EXPECT_EQ(tier(topology, 2).size(), 1U);
  for (const LinkId id : up_links(topology, 1)) {
    EXPECT_DOUBLE_EQ(topology.link(id).capacity_bytes_per_s(), 3072 * kCable / 7.0);
  }
  EXPECT_DOUBLE_EQ(up_capacity(topology, 0), 16384 * kCable);
}

TEST(WrittenOutLevels, OnRailsLeavesSplitByRailAndPodsDoNot) {
  const Topology topology = build_topology(node_of(), pods_of_3072(FabricKind::rail_optimized));
  EXPECT_EQ(tier(topology, 0).size(), 64U * 8);  // units of 32 nodes
  EXPECT_EQ(tier(topology, 1).size(), 6U);
  for (const LinkId id : up_links(topology, 1)) {
    EXPECT_DOUBLE_EQ(topology.link(id).capacity_bytes_per_s(), 3072 * kCable / 7.0);
  }
}

TEST(WrittenOutLevels, LevelsAboveTheOneThatHoldsAllNodesAreNotBuilt) {
  FabricSpec fabric = pods_of_3072(FabricKind::leaf_spine);
  fabric.nodes = 384;
  EXPECT_THAT(build_topology(node_of(), fabric).tier_names, ElementsAre("leaf", "pod"));
  fabric.nodes = 385;
  EXPECT_THAT(build_topology(node_of(), fabric).tier_names, ElementsAre("leaf", "pod", "core"));
}

TEST(WrittenOutLevels, FaultsSayWhatToChange) {
  FabricSpec fabric = fabric_of(FabricKind::leaf_spine, 64);
  const auto message_of = [&](std::vector<FabricLevel> levels) -> std::string {
    fabric.levels = std::move(levels);
    try {
      build_topology(node_of(), fabric);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of({level("leaf", 64), level("pod", {}), level("core", {})}),
              HasSubstr("level pod needs ports or gpus"));
  EXPECT_THAT(message_of({level("leaf", 64), level("pod", {}, 100), level("core", {})}),
              HasSubstr("whole number of nodes"));
  EXPECT_THAT(message_of({level("leaf", 64), level("pod", {}, 8), level("core", {})}), HasSubstr("fewer GPUs"));
  EXPECT_THAT(message_of({level("leaf", 64), level("core", {}, {}, 2.0)}), HasSubstr("is the last"));
  EXPECT_THAT(message_of({level("leaf", 64), level("spine", 8)}), HasSubstr("holds 32 nodes and 64"));
  EXPECT_THAT(message_of({level("leaf", 64, {}, 0.0), level("core", {})}), HasSubstr("above 0"));
}

TEST(Fabric, NodesWithoutNicsCannotBeJoined) {
  NodeSpec node = node_of();
  node.nics.count = 0;
  EXPECT_THAT([&] { build_topology(node, fabric_of(FabricKind::leaf_spine, 2)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no NICs")));
}

TEST(Fabric, BuildsAndRoutes131072Gpus) {
  FabricSpec fabric = pods_of_3072(FabricKind::rail_optimized);
  fabric.nodes = 16384;
  const Topology topology = build_topology(node_of(), fabric);
  ASSERT_EQ(topology.gpus().size(), 131072U);
  const Router router(topology, {});
  const auto route = router.route(GpuId(3), GpuId(131072 - 5));  // same rail, first and last node
  EXPECT_TRUE(is_proper_route(topology, route, GpuId(3), GpuId(131072 - 5)));
  EXPECT_DOUBLE_EQ(router.latency_s(route), 5 * kHop);  // leaf, pod, core, pod, leaf
}

}  // namespace
}  // namespace trainsim::testing
