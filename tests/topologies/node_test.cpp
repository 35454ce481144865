// What is inside a node, and what links it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/topologies/machines.hpp"

namespace trainsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Topology alone(const NodeSpec& node) { return build_topology(node, fabric_of(FabricKind::leaf_spine, 1)); }

TEST(NvswitchNode, GivesEveryGpuItsWholeBandwidthIntoOneSwitch) {
  const Topology topology = alone(node_of());
  EXPECT_EQ(devices(topology, DeviceKind::nvswitch).size(), 1U);
  EXPECT_EQ(count_links(topology, LinkKind::nvlink), 2U * 8);
  for (const LinkId id : all_links(topology)) {
    if (topology.link(id).kind == LinkKind::nvlink) {
      EXPECT_DOUBLE_EQ(topology.link(id).capacity_bytes_per_s(), kNvlink);
    }
  }
}

TEST(NvlinkMeshNode, SplitsAGpusBandwidthOverItsPeers) {
  const Topology topology = alone(node_of(4, IntraKind::nvlink_mesh));
  EXPECT_EQ(count_links(topology, LinkKind::nvlink), 4U * 3);
  for (const LinkId id : links_named(topology, "node0.gpu1-gpu3")) {
    EXPECT_DOUBLE_EQ(topology.link(id).capacity_bytes_per_s(), kNvlink / 3);
  }
}

TEST(NvlinkMeshNode, BridgeGroupsAreMeshesOfTheirOwn) {
  NodeSpec node = node_of(8, IntraKind::nvlink_mesh);
  node.intra_groups = {{0, 1, 2, 3}, {4, 5}};
  const Topology topology = alone(node);
  EXPECT_EQ(count_links(topology, LinkKind::nvlink), 4U * 3 + 2);
  EXPECT_DOUBLE_EQ(topology.link(links_named(topology, "node0.gpu4-gpu5").front()).capacity_bytes_per_s(), kNvlink);
  node.intra_groups = {{0, 1}, {1, 2}};
  EXPECT_THROW(alone(node), std::invalid_argument);
  node.intra_groups = {{0, 8}};
  EXPECT_THROW(alone(node), std::invalid_argument);
}

TEST(MeshNode, IsOfTheLinksOfItsKind) {
  for (const auto& [intra, kind] :
       {std::pair(IntraKind::xgmi_mesh, LinkKind::xgmi), std::pair(IntraKind::roce_mesh, LinkKind::roce)}) {
    const Topology topology = alone(node_of(8, intra));
    EXPECT_EQ(count_links(topology, kind), 8U * 7);
    EXPECT_EQ(count_links(topology, LinkKind::nvlink), 0U);
    const LinkId link = links_named(topology, "node0.gpu2-gpu5").front();
    EXPECT_DOUBLE_EQ(topology.link(link).capacity_bytes_per_s(), kNvlink / 7);
  }
}

TEST(PcieTreeNode, HasNoNvlinkAndASocketLinkEachWay) {
  const Topology topology = alone(node_of(8, IntraKind::pcie_tree));
  EXPECT_EQ(count_links(topology, LinkKind::nvlink), 0U);
  EXPECT_EQ(count_links(topology, LinkKind::socket), 2U);
  EXPECT_EQ(count_links(topology, LinkKind::pcie), 2U * (8 + 8 + 4));  // GPUs, NICs, switches
}

TEST(PcieTreeNode, GpusWithoutASwitchSitOnTheirSocket) {
  NodeSpec node = node_of(4, IntraKind::pcie_tree);
  node.pcie.switches.clear();
  const Topology topology = alone(node);
  EXPECT_EQ(topology.name(topology.target(links_named(topology, "node0.gpu1").front())), "node0.cpu0");
  EXPECT_EQ(topology.name(topology.target(links_named(topology, "node0.gpu2").front())), "node0.cpu1");
}

TEST(PcieTreeNode, NicsSitWhereTheyAreAttached) {
  NodeSpec node = node_of(8, IntraKind::pcie_tree);
  node.nics.count = 4;
  const auto host_of_nic3 = [&](const std::string& attached) {
    node.nics.attached = attached;
    const Topology topology = alone(node);
    const LinkId slot = links_named(topology, "node0.nic3.pcie").front();
    return topology.name(topology.source(slot));
  };
  EXPECT_EQ(host_of_nic3("per-gpu"), "node0.pcie3");
  EXPECT_EQ(host_of_nic3("per-switch"), "node0.pcie3");
  EXPECT_EQ(host_of_nic3("per-socket"), "node0.cpu1");
}

TEST(Node, GpusComeInTheOrderOfTheirNumber) {
  const Topology topology = build_topology(node_of(3, IntraKind::pcie_tree), fabric_of(FabricKind::leaf_spine, 5));
  ASSERT_EQ(topology.gpus().size(), 15U);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(topology.node_of(GpuId(i)), i / 3);
    EXPECT_EQ(topology.device(topology.vertex_of(GpuId(i))).index, i % 3);
  }
}

TEST(Node, ImpossibleOnesSayWhatToChange) {
  const auto message_of = [](auto change) -> std::string {
    NodeSpec node = node_of();
    change(node);
    try {
      build_topology(node, fabric_of(FabricKind::leaf_spine, 1));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of([](NodeSpec& n) { n.gpus = 0; }), HasSubstr("at least one GPU"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.pcie.switches = {{0, 8}}; }), HasSubstr("names GPU 8"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.pcie.switches = {{0}, {0}}; }), HasSubstr("behind two switches"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.pcie.lane_group_bandwidth_bytes_per_s = 0; }), HasSubstr("PCIe"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.pcie.socket_bandwidth_bytes_per_s = 0; }), HasSubstr("socket"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.nics.attached = "somewhere"; }), HasSubstr("somewhere"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.intra_bandwidth_bytes_per_s = 0; }), HasSubstr("intra.bandwidth"));
  EXPECT_THAT(message_of([](NodeSpec& n) { n.intra = IntraKind::none; }), HasSubstr("pcie-tree"));
}

TEST(Node, TheTableKnowsEveryKind) {
  EXPECT_THAT(node_variants().names(),
              ::testing::ElementsAre("nvswitch", "nvlink-mesh", "xgmi-mesh", "roce-mesh", "pcie-tree", "none"));
  EXPECT_THAT(fabric_variants().names(),
              ::testing::ElementsAre("single-switch", "leaf-spine", "fat-tree", "rail-optimized", "rail-only"));
}

}  // namespace
}  // namespace trainsim::testing
