// Nodes of several trays: one NVLink domain, a host for each tray, rails by the place in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/topologies/machines.hpp"
#include "topologies/catalog.hpp"

namespace trainsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kGpus = 12;  // of one node

// Three trays of four GPUs and NICs.
NodeSpec trays() {
  NodeSpec node = node_of(kGpus);
  node.gpus_per_tray = 4;
  node.pcie.switches.clear();
  return node;
}

GpuId gpu(std::size_t node, std::size_t index) { return GpuId(node * kGpus + index); }

std::string path(const Topology& topology, GpuId from, GpuId to) {
  const auto route = Router(topology, {}).route(from, to);
  EXPECT_TRUE(is_proper_route(topology, route, from, to));
  return path_text(topology, route);
}

TEST(Trays, AreHostsWithoutAWayBetweenThem) {
  const Topology topology = build_topology(trays(), fabric_of(FabricKind::leaf_spine, 1));
  EXPECT_EQ(devices(topology, DeviceKind::cpu).size(), 6U);
  EXPECT_EQ(count_links(topology, LinkKind::socket), 3U * 2);
  EXPECT_EQ(devices(topology, DeviceKind::nvswitch).size(), 1U);
  EXPECT_EQ(path(topology, GpuId(0), GpuId(11)), "node0.gpu0 > node0.nvswitch0 > node0.gpu11");
  for (const VertexId nic : devices(topology, DeviceKind::nic)) {
    EXPECT_EQ(topology.device(nic).tray, topology.device(nic).index / 4);
    EXPECT_EQ(topology.device(nic).rail, topology.device(nic).index % 4);
  }
}

TEST(Trays, HaveTheSwitchesThatOneOfThemHas) {
  NodeSpec node = trays();
  node.pcie.switches = {{0, 1}, {2, 3}};
  const Topology topology = build_topology(node, fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(devices(topology, DeviceKind::pcie_switch).size(), 2U * 6);
  EXPECT_EQ(path(topology, gpu(0, 6), gpu(1, 6)),
            "node0.gpu6 > node0.pcie3 > node0.nic6 > leaf2 > node1.nic6 > node1.pcie3 > node1.gpu6");
}

TEST(Trays, TheLastMayBePartlyFilled) {
  NodeSpec node = trays();
  node.gpus = node.nics.count = 10;
  const Topology topology = build_topology(node, fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(tier(topology, 0).size(), 4U);
  EXPECT_EQ(path(topology, GpuId(9), GpuId(19)),
            "node0.gpu9 > node0.cpu4 > node0.nic9 > leaf1 > node1.nic9 > node1.cpu4 > node1.gpu9");
}

TEST(RailsOfTrays, JoinTheNicsOfOnePlaceInTheTray) {
  const Topology topology = build_topology(trays(), fabric_of(FabricKind::rail_optimized, 40, 32));
  EXPECT_EQ(tier(topology, 0).size(), 4U * 8);  // five nodes of three NICs on a leaf
  for (const VertexId nic : devices(topology, DeviceKind::nic)) {
    const auto [begin, end] = boost::out_edges(nic.index(), topology.graph());
    for (auto edge = begin; edge != end; ++edge) {
      const VertexId leaf = topology.target(topology.graph()[*edge]);
      if (topology.device(leaf).kind != DeviceKind::fabric_switch) continue;
      EXPECT_EQ(topology.device(leaf).index % 4, topology.device(nic).index % 4);
    }
  }
}

TEST(RailsOfTrays, ARouteLeavesByTheNicOfItsOwnTray) {
  const Topology topology = build_topology(trays(), fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(path(topology, gpu(0, 5), gpu(1, 9)),
            "node0.gpu5 > node0.cpu2 > node0.nic5 > leaf1 > node1.nic9 > node1.cpu4 > node1.gpu9");
}

TEST(RailsOfTrays, ChangeOverNvlinkToTheNeighbourInTheTray) {
  const Topology topology = build_topology(trays(), fabric_of(FabricKind::rail_optimized, 2));
  EXPECT_EQ(path(topology, gpu(0, 5), gpu(1, 3)),
            "node0.gpu5 > node0.nvswitch0 > node0.gpu7 > node0.cpu3 > node0.nic7 > leaf3 > "
            "node1.nic3 > node1.cpu1 > node1.gpu3");
}

TEST(RailsOfTrays, WithoutNvlinkTheTraysMeetInTheNetwork) {
  Topology topology = build_topology(trays(), fabric_of(FabricKind::rail_optimized, 2));
  remove_named(topology, "node0.gpu5", LinkKind::nvlink);
  EXPECT_EQ(path(topology, gpu(0, 5), gpu(0, 9)),
            "node0.gpu5 > node0.cpu2 > node0.nic5 > leaf1 > node0.nic9 > node0.cpu4 > node0.gpu9");
  EXPECT_EQ(path(topology, gpu(0, 5), gpu(0, 4)), "node0.gpu5 > node0.cpu2 > node0.gpu4");
}

TEST(RailsOfTrays, OfAnNvl72AreFour) {
  const NodeSpec node = catalog_node("gb200-nvl72");
  const Topology topology = build_topology(node, fabric_of(FabricKind::rail_only, 4));
  EXPECT_EQ(tier(topology, 0).size(), 4U * 4);  // 64 ports leave 32 downwards, one domain has 18 NICs on each rail
  EXPECT_EQ(tier(topology, 1).size(), 4U);
  const Router router(topology, {});
  const auto nics = router.nics_of(GpuId(72 + 5));
  ASSERT_EQ(nics.size(), 4U);
  EXPECT_EQ(topology.name(nics.front()), "node1.nic5");
  EXPECT_EQ(topology.device(nics.front()).rail, 1U);
}

TEST(OwnPorts, LeadFromTheAcceleratorWithoutASlot) {
  const NodeSpec node = catalog_node("gaudi2-8");
  FabricSpec fabric = fabric_of(FabricKind::rail_optimized, 2);
  const Topology topology = build_topology(node, fabric);
  EXPECT_EQ(path(topology, GpuId(3), GpuId(8 + 3)), "node0.gpu3 > node0.nic3 > leaf3 > node1.nic3 > node1.gpu3");
  EXPECT_EQ(path(topology, GpuId(3), GpuId(4)), "node0.gpu3 > node0.gpu4");
  NodeSpec through_host = node;
  through_host.nics.gpudirect = false;
  EXPECT_THROW(build_topology(through_host, fabric), std::invalid_argument);
}

TEST(Trays, ImpossibleOnesSayWhatToChange) {
  NodeSpec node = trays();
  node.intra = IntraKind::pcie_tree;
  EXPECT_THAT([&] { build_topology(node, fabric_of(FabricKind::leaf_spine, 1)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("gpus_per_tray")));
  node = trays();
  node.nics.count = 2;
  EXPECT_THAT([&] { build_topology(node, fabric_of(FabricKind::leaf_spine, 1)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("nics.count is 2 for 3 trays")));
  node = trays();
  node.pcie.switches = {{4}};
  EXPECT_THAT([&] { build_topology(node, fabric_of(FabricKind::leaf_spine, 1)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("of a tray with 4 GPUs")));
}

}  // namespace
}  // namespace trainsim::testing
