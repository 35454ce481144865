// Which protocol a collective runs under, and what it puts on the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "simulator/lowering/menu.hpp"
#include "tests/lowering/machines.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

using Kind = CollectiveKind;

// LL halves the rate and has a short hop, LL128 loses an eighth, Simple nothing but time.
CollectiveCatalog three_protocols() {
  CollectiveCatalog catalog = round_catalog();
  const ByProtocol hops{{1e-6, 2e-6, 10e-6}};
  for (CollectiveCatalog::PerKind* kind : {&catalog.nvlink, &catalog.pcie, &catalog.nic, &catalog.fabric}) {
    kind->hop_latency_s = hops;
  }
  catalog.nvlink_share = {{0.5, 0.875, 1.0}};
  catalog.fabric_share = {{0.25, 0.75, 1.0}};
  catalog.pcie_share = {{0.5, 0.0, 1.0}};
  return catalog;
}

struct Shape {
  std::uint32_t nodes, gpus;
};

class ProtocolByShape : public testing::TestWithParam<Shape> {
 protected:
  ProtocolByShape()
      : machine_(round_node(GetParam().gpus, GetParam().gpus), round_fabric(GetParam().nodes), three_protocols()) {}

  [[nodiscard]] Transfer transfer(Kind kind, double bytes, const std::string& algorithm,
                                  const std::string& protocol) const {
    return machine_.transfer(kind, bytes, CollectiveChoice{algorithm, protocol, false}, machine_.all);
  }
  [[nodiscard]] double time_s(double bytes, const std::string& protocol) const {
    return machine_.time_s(transfer(Kind::all_reduce, bytes, "ring", protocol));
  }

  Machine machine_;
};

TEST_P(ProtocolByShape, AutoTakesWhicheverIsFastest) {
  const double small = 1e3, large = 1e10;
  EXPECT_LT(time_s(small, "LL"), time_s(small, "LL128"));
  EXPECT_LT(time_s(small, "LL128"), time_s(small, "Simple"));
  EXPECT_GT(time_s(large, "LL"), time_s(large, "LL128"));
  EXPECT_GT(time_s(large, "LL128"), time_s(large, "Simple"));
  for (double bytes = small; bytes <= large; bytes *= 3) {
    const double fastest_s = std::min({time_s(bytes, "LL"), time_s(bytes, "LL128"), time_s(bytes, "Simple")});
    EXPECT_DOUBLE_EQ(time_s(bytes, "auto"), fastest_s) << bytes;
  }
}

TEST_P(ProtocolByShape, WireBytesAreTheClosedFormOverTheShareOfTheSlowerLink) {
  const double n = GetParam().nodes * GetParam().gpus;
  const bool is_network_slower = GetParam().nodes > 1;
  const CollectiveCatalog& catalog = machine_.catalog;
  for (const Protocol protocol : kAllProtocols) {
    const std::string name(kProtocolNames[static_cast<std::size_t>(protocol)]);
    const double share = (is_network_slower ? catalog.fabric_share : catalog.nvlink_share)[protocol];
    EXPECT_NEAR(bytes_sent(machine_.topology, transfer(Kind::all_reduce, 1e9, "ring", name)), 2 * (n - 1) * 1e9 / share,
                10.0)
        << name;
    EXPECT_NEAR(bytes_sent(machine_.topology, transfer(Kind::all_gather, 1e9, "ring", name)), (n - 1) * 1e9 / share,
                10.0)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ProtocolByShape, testing::Values(Shape{1, 8}, Shape{1, 2}, Shape{4, 8}, Shape{16, 1}),
                         [](const auto& shape) {
                           return "Nodes" + std::to_string(shape.param.nodes) + "Gpus" +
                                  std::to_string(shape.param.gpus);
                         });

TEST(Protocol, Ll128IsNotUsedOverPcie) {
  NodeSpec node = round_node(4, 4);
  node.intra = IntraKind::pcie_tree;
  const Machine machine(node, round_fabric(1), three_protocols());
  const auto time_s = [&](const std::string& protocol) {
    return machine.time_s(
        machine.transfer(Kind::all_gather, 1e6, CollectiveChoice{"ring", protocol, false}, machine.all));
  };
  // A protocol that the links do not have leaves the choice open.
  EXPECT_DOUBLE_EQ(time_s("LL128"), time_s("auto"));
  EXPECT_GT(std::max(time_s("LL"), time_s("Simple")), time_s("auto"));
}

TEST(Protocol, UnknownOnesAreErrorsThatListTheKnownOnes) {
  const Machine machine(1, 4, 4);
  try {
    (void)machine.transfer(Kind::all_reduce, 1.0, CollectiveChoice{"ring", "LL256", false}, machine.all);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("LL256"), testing::HasSubstr("LL128")));
  }
}

TEST(Protocol, ASendUsesLlForSmallMessagesAndSimpleForLargeOnes) {
  CollectiveCatalog catalog = three_protocols();
  catalog.pairs.base_latency_s = {{1e-6, 0.0, 5e-6}};
  catalog.pairs.ll_share = 0.125;
  const Machine machine(round_node(2, 2), round_fabric(1), catalog);
  const auto time_s = [&](double bytes) { return machine.time_s(machine.transfer(Kind::send, bytes, "auto")); };
  EXPECT_NEAR(time_s(1e3), 2e-6 + kNvlinkWire + 8e3 / kNvlinkBytesPerS, 1e-12);
  EXPECT_NEAR(time_s(1e9), 15e-6 + kNvlinkWire + 1e9 / kNvlinkBytesPerS, 1e-12);
}

TEST(Pairs, ReachHalfTheLinkTogetherUnderLl) {
  CollectiveCatalog catalog = three_protocols();
  catalog.pairs.ll_share = 0.25;
  const Machine machine(round_node(8, 8), round_fabric(1), catalog);
  const CollectiveChoice ll{"ring", "LL", false};
  const double two = bytes_sent(machine.topology, machine.transfer(Kind::all_to_all, 1e9, ll, machine.first(2)));
  const double eight = bytes_sent(machine.topology, machine.transfer(Kind::all_to_all, 1e9, ll, machine.all));
  EXPECT_NEAR(two, 2 * 0.5e9 / 0.25, 1.0);
  EXPECT_NEAR(eight, 7 * 1e9 / 0.5, 10.0);
}

TEST(Ring, OwnPieceCostsPartOfAStepOverTheAcceleratorsLinks) {
  CollectiveCatalog catalog = round_catalog();
  catalog.ring_own_step = 0.5;
  const Machine one(round_node(2, 2), round_fabric(1), catalog), two(round_node(1, 1), round_fabric(2), catalog);
  const auto bytes = [](const Machine& machine, Kind kind) {
    return machine.transfer(kind, 1e9, "ring").phases.front().parts.front().bytes;
  };
  EXPECT_NEAR(bytes(one, Kind::all_gather), 0.75e9, 1.0);
  EXPECT_NEAR(bytes(one, Kind::all_reduce), 1.25e9, 1.0);
  EXPECT_NEAR(bytes(two, Kind::all_gather), 0.5e9, 1.0);
}

TEST(Menu, ShippedConstantsChooseLlForSmallMessagesAndSimpleForLargeOnes) {
  for (const std::string& name : node_names()) {
    const NodeSpec node = catalog_node(name);
    const Machine machine(node, round_fabric(1), collective_catalog("infiniband", node.accelerator.architecture));
    for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter, Kind::all_to_all}) {
      const CollectiveMenu menu(kind, {}, machine.all, machine.context());
      const bool has_ll = machine.catalog.nvlink_share[Protocol::ll] > 0;
      EXPECT_EQ(menu.fastest(1e3).protocols, Protocols{has_ll ? Protocol::ll : Protocol::simple}) << name;
      EXPECT_EQ(menu.fastest(1e10).protocols, Protocols{Protocol::simple}) << name;
    }
  }
}

}  // namespace
}  // namespace trainsim
