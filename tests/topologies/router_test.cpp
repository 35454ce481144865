// Which way traffic goes, and what a removed link does to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topologies/machines.hpp"

namespace trainsim::testing {
namespace {

constexpr std::size_t kGpus = 8;  // of one node
GpuId gpu(std::size_t node, std::size_t index) { return GpuId(node * kGpus + index); }

std::string path(const Topology& topology, GpuId from, GpuId to, NodeOptions options = {}) {
  const Router router(topology, options);
  const auto route = router.route(from, to);
  EXPECT_TRUE(is_proper_route(topology, route, from, to));
  return path_text(topology, route);
}

Topology alone(const NodeSpec& node) { return build_topology(node, fabric_of(FabricKind::leaf_spine, 1)); }

TEST(RouteInNode, ToItselfIsEmpty) {
  const Topology topology = alone(node_of());
  EXPECT_EQ(path(topology, gpu(0, 2), gpu(0, 2)), "");
}

TEST(RouteInNode, TakesNvlinkFirst) {
  const Topology topology = alone(node_of());
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(0, 1)), "node0.gpu0 > node0.nvswitch0 > node0.gpu1");
}

TEST(RouteInNode, FallsBackToPcieWhenTheNvlinkIsGone) {
  Topology topology = alone(node_of());
  const Router router(topology, {});
  EXPECT_EQ(path_text(topology, router.route(gpu(0, 0), gpu(0, 1))), "node0.gpu0 > node0.nvswitch0 > node0.gpu1");
  remove_named(topology, "node0.gpu1", LinkKind::nvlink);
  EXPECT_EQ(path_text(topology, router.route(gpu(0, 0), gpu(0, 1))), "node0.gpu0 > node0.pcie0 > node0.gpu1");
  EXPECT_EQ(path_text(topology, router.route(gpu(0, 0), gpu(0, 2))), "node0.gpu0 > node0.nvswitch0 > node0.gpu2");
}

TEST(RouteInNode, RelaysOverOneOtherGpuOfAMesh) {
  Topology topology = alone(node_of(4, IntraKind::nvlink_mesh));
  EXPECT_EQ(path(topology, GpuId(0), GpuId(3)), "node0.gpu0 > node0.gpu3");
  remove_named(topology, "node0.gpu0-gpu3", LinkKind::nvlink);
  EXPECT_EQ(path(topology, GpuId(0), GpuId(3)), "node0.gpu0 > node0.gpu1 > node0.gpu3");
}

TEST(RouteInNode, BetweenBridgeGroupsGoesOverPcie) {
  NodeSpec node = node_of(4, IntraKind::nvlink_mesh);
  node.intra_groups = {{0, 1}, {2, 3}};
  const Topology topology = alone(node);
  EXPECT_EQ(path(topology, GpuId(0), GpuId(1)), "node0.gpu0 > node0.gpu1");
  EXPECT_EQ(path(topology, GpuId(1), GpuId(2)),
            "node0.gpu1 > node0.pcie0 > node0.cpu0 > node0.cpu1 > node0.pcie1 > node0.gpu2");
}

TEST(RouteInNode, OverPcieIsTheShortest) {
  const Topology topology = alone(node_of(8, IntraKind::pcie_tree));
  EXPECT_EQ(path(topology, gpu(0, 2), gpu(0, 3)), "node0.gpu2 > node0.pcie1 > node0.gpu3");
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(0, 2)), "node0.gpu0 > node0.pcie0 > node0.cpu0 > node0.pcie1 > node0.gpu2");
}

TEST(RouteInNode, WithoutPeerToPeerPassesHostMemory) {
  const Topology topology = alone(node_of(8, IntraKind::pcie_tree));
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(0, 1), {.peer_to_peer = false}),
            "node0.gpu0 > node0.pcie0 > node0.cpu0 > node0.pcie0 > node0.gpu1");
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(0, 7), {.peer_to_peer = false}),
            "node0.gpu0 > node0.pcie0 > node0.cpu0 > node0.cpu1 > node0.pcie3 > node0.gpu7");
}

TEST(RouteInNode, NvlinkNeedsNoPeerToPeerOverPcie) {
  const Topology topology = alone(node_of());
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(0, 1), {.peer_to_peer = false}), "node0.gpu0 > node0.nvswitch0 > node0.gpu1");
}

TEST(RouteInNode, IsNoneWhenEveryLinkOfAGpuIsGone) {
  Topology topology = alone(node_of());
  remove_named(topology, "node0.gpu4", LinkKind::nvlink);
  remove_named(topology, "node0.gpu4", LinkKind::pcie);
  EXPECT_THROW(path(topology, gpu(0, 0), gpu(0, 4)), NoRoute);
  EXPECT_THROW(path(topology, gpu(0, 4), gpu(0, 0)), NoRoute);
}

TEST(RouteInNode, RemovingOneDirectionLeavesTheOther) {
  Topology topology = alone(node_of());
  topology.remove_link(links_named(topology, "node0.gpu0").front());
  for (const LinkId id : links_named(topology, "node0.gpu0")) {
    if (topology.link(id).kind == LinkKind::nvlink && topology.link(id).is_up) topology.remove_link(id);
  }
  EXPECT_EQ(path(topology, gpu(0, 1), gpu(0, 0)), "node0.gpu1 > node0.nvswitch0 > node0.gpu0");
  EXPECT_THROW(path(topology, gpu(0, 0), gpu(0, 1)), NoRoute);
}

TEST(RouteBetweenNodes, LeavesThroughTheGpusOwnNic) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 2));
  EXPECT_EQ(path(topology, gpu(0, 3), gpu(1, 6)),
            "node0.gpu3 > node0.pcie1 > node0.nic3 > leaf0 > node1.nic6 > node1.pcie3 > node1.gpu6");
}

TEST(RouteBetweenNodes, SharesANicWhereThereAreFewerThanGpus) {
  NodeSpec node = node_of();
  node.nics.count = 4;
  const Topology topology = build_topology(node, fabric_of(FabricKind::leaf_spine, 2));
  const Router router(topology, {});
  for (std::size_t i = 0; i < kGpus; ++i) {
    EXPECT_EQ(topology.device(router.nics_of(gpu(0, i)).front()).index, i / 2);
  }
}

TEST(RouteBetweenNodes, NicsAreListedNearestFirst) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 2));
  const Router router(topology, {});
  std::vector<std::uint32_t> order;
  for (const VertexId nic : router.nics_of(gpu(1, 5))) order.push_back(topology.device(nic).index);
  ASSERT_EQ(order.size(), kGpus);
  EXPECT_EQ(order[0], 5U);  // its own, then that of its switch, then those of its socket
  EXPECT_EQ(order[1], 4U);
  EXPECT_THAT(std::vector(order.begin() + 2, order.begin() + 4), ::testing::UnorderedElementsAre(6U, 7U));
}

TEST(RouteBetweenNodes, WithoutGpudirectPassesHostMemory) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 2));
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(1, 0), {.gpudirect = false}),
            "node0.gpu0 > node0.pcie0 > node0.cpu0 > node0.pcie0 > node0.nic0 > leaf0 > "
            "node1.nic0 > node1.pcie0 > node1.cpu0 > node1.pcie0 > node1.gpu0");
}

TEST(RouteBetweenNodes, ClimbsNoHigherThanTheLowestCommonTier) {
  NodeSpec node = node_of(1, IntraKind::none);
  const Topology topology = build_topology(node, fabric_of(FabricKind::fat_tree, 16, 4));
  const Router router(topology, {});
  const auto hops = [&](std::size_t to) { return router.latency_s(router.route(GpuId(0), GpuId(to))) / kHop; };
  EXPECT_DOUBLE_EQ(hops(1), 1);   // same leaf
  EXPECT_DOUBLE_EQ(hops(2), 3);   // same pod
  EXPECT_DOUBLE_EQ(hops(15), 5);  // another pod
}

TEST(RouteBetweenNodes, TakesAnotherNicWhenTheCableIsGone) {
  Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 2));
  const Router router(topology, {});
  remove_named(topology, "node0.nic3", LinkKind::nic);
  EXPECT_EQ(path_text(topology, router.route(gpu(0, 3), gpu(1, 3))),
            "node0.gpu3 > node0.pcie1 > node0.nic2 > leaf0 > node1.nic3 > node1.pcie1 > node1.gpu3");
}

TEST(RouteBetweenNodes, IsNoneWhenANodeHasNoCableLeft) {
  Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 2));
  for (int i = 0; i < 8; ++i) remove_named(topology, "node0.nic" + std::to_string(i), LinkKind::nic);
  EXPECT_THROW(path(topology, gpu(0, 3), gpu(1, 3)), NoRoute);
  EXPECT_THROW(path(topology, gpu(1, 3), gpu(0, 3)), NoRoute);
  EXPECT_NO_THROW(path(topology, gpu(1, 3), gpu(1, 4)));
}

TEST(RouteBetweenNodes, IsNoneWhenALeafLosesItsWayUp) {
  Topology topology = build_topology(node_of(1, IntraKind::none), fabric_of(FabricKind::leaf_spine, 32, 16));
  remove_named(topology, "leaf0.up0", LinkKind::fabric);
  EXPECT_THROW(path(topology, GpuId(0), GpuId(31)), NoRoute);
  EXPECT_NO_THROW(path(topology, GpuId(0), GpuId(1)));
  EXPECT_NO_THROW(path(topology, GpuId(8), GpuId(31)));
}

TEST(RouteOnRails, StaysOnTheRail) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(path(topology, gpu(0, 3), gpu(1, 3)),
            "node0.gpu3 > node0.pcie1 > node0.nic3 > leaf3 > node1.nic3 > node1.pcie1 > node1.gpu3");
}

TEST(RouteOnRails, CrossesRailsOverNvlinkBeforeTheNetwork) {
  for (const FabricKind kind : {FabricKind::rail_optimized, FabricKind::rail_only}) {
    const Topology topology = build_topology(node_of(), fabric_of(kind, 2));
    EXPECT_EQ(path(topology, gpu(0, 0), gpu(1, 3)),
              "node0.gpu0 > node0.nvswitch0 > node0.gpu3 > node0.pcie1 > node0.nic3 > leaf3 > "
              "node1.nic3 > node1.pcie1 > node1.gpu3");
  }
}

TEST(RouteOnRails, CrossesRailsInTheSpinesWithoutNvlink) {
  const Topology topology = build_topology(node_of(8, IntraKind::pcie_tree), fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(1, 3)),
            "node0.gpu0 > node0.pcie0 > node0.nic0 > leaf0 > spine0 > leaf3 > node1.nic3 > node1.pcie1 > node1.gpu3");
}

TEST(RouteOnRails, WithoutNvlinkAndSpinesUsesTheNicOfTheOtherRail) {
  const Topology topology = build_topology(node_of(8, IntraKind::pcie_tree), fabric_of(FabricKind::rail_only, 2));
  EXPECT_EQ(path(topology, gpu(0, 0), gpu(1, 3)),
            "node0.gpu0 > node0.pcie0 > node0.cpu0 > node0.pcie1 > node0.nic3 > leaf3 > "
            "node1.nic3 > node1.pcie1 > node1.gpu3");
}

TEST(RouteOnRails, ALostCableMovesTrafficToAnotherRail) {
  Topology spines = build_topology(node_of(), fabric_of(FabricKind::rail_optimized, 2));
  remove_named(spines, "node0.nic3", LinkKind::nic);
  EXPECT_EQ(path(spines, gpu(0, 3), gpu(1, 3)),
            "node0.gpu3 > node0.pcie1 > node0.nic2 > leaf2 > spine0 > leaf3 > node1.nic3 > node1.pcie1 > node1.gpu3");

  Topology apart = build_topology(node_of(), fabric_of(FabricKind::rail_only, 2));
  remove_named(apart, "node0.nic3", LinkKind::nic);
  EXPECT_EQ(path(apart, gpu(0, 3), gpu(1, 3)),
            "node0.gpu3 > node0.pcie1 > node0.nic2 > leaf2 > node1.nic2 > node1.pcie1 > node1.gpu3");
}

TEST(Router, LatencyIsTheSumOfTheLinks) {
  NodeSpec node = node_of();
  node.intra_latency_s = 3e-7;
  node.pcie.latency_s = 1e-7;
  const Topology topology = build_topology(node, fabric_of(FabricKind::leaf_spine, 2));
  const Router router(topology, {});
  EXPECT_DOUBLE_EQ(router.latency_s(router.route(gpu(0, 0), gpu(0, 1))), 3e-7);
  EXPECT_DOUBLE_EQ(router.latency_s(router.route(gpu(0, 0), gpu(1, 0))), 4e-7 + kHop);
}

TEST(Router, KnowsWhichGpusShareANode) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 2));
  const Router router(topology, {});
  EXPECT_TRUE(router.same_node(gpu(1, 0), gpu(1, 7)));
  EXPECT_FALSE(router.same_node(gpu(0, 7), gpu(1, 0)));
}

}  // namespace
}  // namespace trainsim::testing
