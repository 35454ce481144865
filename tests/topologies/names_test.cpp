#include <gtest/gtest.h>

#include "tests/topologies/machines.hpp"
#include "topologies/name_match.hpp"

namespace trainsim::testing {
namespace {

TEST(Names, OfDevicesSayNodeKindAndNumber) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 9));
  EXPECT_EQ(topology.name(topology.vertex_of(GpuId(3 * 8 + 5))), "node3.gpu5");
  EXPECT_LT(device_named(topology, "node3.nic2").index(), topology.device_count());
  EXPECT_LT(device_named(topology, "leaf2").index(), topology.device_count());
  EXPECT_LT(device_named(topology, "spine0").index(), topology.device_count());
}

TEST(Names, OfLinksAreThoseThatConditionsMatch) {
  const Topology topology = build_topology(node_of(), fabric_of(FabricKind::leaf_spine, 9));
  const auto kinds = [&](const std::string& name) {
    std::multiset<LinkKind> result;
    for (const LinkId id : links_named(topology, name)) result.insert(topology.link(id).kind);
    return result;
  };
  using Kinds = std::multiset<LinkKind>;
  EXPECT_EQ(kinds("node3.nic2"), (Kinds{LinkKind::nic, LinkKind::nic}));
  EXPECT_EQ(kinds("node3.nic2.pcie"), (Kinds{LinkKind::pcie, LinkKind::pcie}));
  EXPECT_EQ(kinds("node3.gpu5"), (Kinds{LinkKind::nvlink, LinkKind::nvlink, LinkKind::pcie, LinkKind::pcie}));
  EXPECT_EQ(kinds("node3.pcie1"), (Kinds{LinkKind::pcie, LinkKind::pcie}));
  EXPECT_EQ(kinds("node3.cpu0-cpu1"), (Kinds{LinkKind::socket, LinkKind::socket}));
  EXPECT_EQ(kinds("leaf1.up0"), (Kinds{LinkKind::fabric, LinkKind::fabric}));
}

TEST(Names, AreSharedByBothDirectionsOfEveryLink) {
  for (const FabricKind kind : {FabricKind::leaf_spine, FabricKind::rail_optimized, FabricKind::rail_only}) {
    const Topology topology = build_topology(node_of(8, IntraKind::nvlink_mesh), fabric_of(kind, 5, 16));
    for (const LinkId id : all_links(topology)) {
      const auto same = links_named(topology, topology.name(id));
      const bool has_reverse = std::any_of(same.begin(), same.end(), [&](LinkId other) {
        return topology.source(other) == topology.target(id) && topology.target(other) == topology.source(id);
      });
      ASSERT_TRUE(has_reverse) << topology.name(id);
    }
  }
}

TEST(Names, NumberSeveralWaysUpFromOneSwitch) {
  Topology topology;
  topology.tier_names = {"leaf", "spine"};
  const VertexId leaf = topology.add_device({.kind = DeviceKind::fabric_switch, .index = 4});
  for (std::uint32_t i = 0; i < 2; ++i) {
    const VertexId spine = topology.add_device({.kind = DeviceKind::fabric_switch, .index = i, .tier = 1});
    topology.add_duplex(leaf, spine, {.kind = LinkKind::fabric, .bandwidth_bytes_per_s = 1.0});
  }
  EXPECT_EQ(topology.name(LinkId(0)), "leaf4.up0");
  EXPECT_EQ(topology.name(LinkId(1)), "leaf4.up0");
  EXPECT_EQ(topology.name(LinkId(2)), "leaf4.up1");
  EXPECT_EQ(topology.name(LinkId(3)), "leaf4.up1");
}

TEST(Glob, StarStandsForAnyRunAndQuestionMarkForOneCharacter) {
  EXPECT_TRUE(matches("node3.nic2", "node3.nic2"));
  EXPECT_FALSE(matches("node3.nic2", "node3.nic21"));
  EXPECT_FALSE(matches("node3.nic2", "xnode3.nic2"));
  EXPECT_TRUE(matches("node*.nic2", "node31.nic2"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("leaf?.up*", "leaf7.up0"));
  EXPECT_FALSE(matches("leaf?.up*", "leaf17.up0"));
  EXPECT_FALSE(matches("leaf?.up*", "leaf.up0"));
  EXPECT_TRUE(matches("*nic*2", "node2.nic22"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches("a*b*c", "aXbYbZ"));
  EXPECT_FALSE(matches("node3.nic.", "node3.nic2"));  // a dot is a dot
}

TEST(Glob, ManyStarsDoNotTakeForever) {
  const std::string name(5000, 'a');
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", name));
}

}  // namespace
}  // namespace trainsim::testing
