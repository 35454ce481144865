// Reduction in switches: NVLS in the NVLink switch, SHARP in the network; and PAT.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "simulator/lowering/menu.hpp"
#include "tests/lowering/machines.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

using Kind = CollectiveKind;

constexpr double kNvlsLatency = 100e-6;
constexpr double kSharpLatency = 40e-6;
constexpr double kBytes = 1e9;

CollectiveCatalog reducing_catalog() {
  CollectiveCatalog catalog = round_catalog();
  catalog.nvls = {1.0, kNvlsLatency, 32};
  catalog.collnet.latency_s = same_for_all(kSharpLatency);
  return catalog;
}

std::string chosen(const Machine& machine, double bytes, const CollectiveChoice& choice = {}) {
  const CollectiveMenu menu(Kind::all_reduce, choice, machine.all, machine.context());
  return menu.algorithm_of(menu.fastest(bytes));
}

TEST(Nvls, EachLinkCarriesThePayloadAndItsShareOfTheSum) {
  for (const std::uint32_t gpus : {2U, 3U, 8U}) {
    const Machine machine(round_node(gpus, gpus), round_fabric(1), reducing_catalog());
    const Transfer transfer = machine.transfer(Kind::all_reduce, kBytes, "nvls");
    ASSERT_EQ(transfer.phases.size(), 1U);
    EXPECT_EQ(transfer.phases.front().parts.size(), 1U);
    const double share = (gpus + 1.0) / gpus;
    for (const auto& [link, bytes] : loads(transfer)) EXPECT_NEAR(bytes, share * kBytes, 1.0) << bytes;
    EXPECT_NEAR(bytes_sent(machine.topology, transfer), (gpus + 1.0) * kBytes, 10.0);
    EXPECT_NEAR(machine.time_s(transfer), kNvlsLatency + share * kBytes / kNvlinkBytesPerS, 1e-12);
  }
}

TEST(Nvls, IsFasterThanARingFromFourMembersOnAndOnlyForLargePayloads) {
  const Machine eight(round_node(8, 8), round_fabric(1), reducing_catalog());
  EXPECT_EQ(chosen(eight, 1e9), "nvls");
  EXPECT_EQ(chosen(eight, 1e4), "ring");
  const Machine two(round_node(2, 2), round_fabric(1), reducing_catalog());
  EXPECT_EQ(chosen(two, 1e9), "ring");
}

TEST(Nvls, BusBandwidthCanExceedTheLink) {
  const Machine machine(round_node(8, 8), round_fabric(1), reducing_catalog());
  const double bytes = 1e11;
  const double bus = 2.0 * 7 / 8 * bytes / machine.time_s(machine.transfer(Kind::all_reduce, bytes, "auto"));
  EXPECT_GT(bus, kNvlinkBytesPerS);
}

TEST(Nvls, OverNodesJoinsATreeOfNodesPerLane) {
  const Machine machine(round_node(8, 8), round_fabric(4), reducing_catalog());
  const Transfer transfer = machine.transfer(Kind::all_reduce, kBytes, "nvls");
  ASSERT_EQ(transfer.phases.size(), 1U);
  EXPECT_EQ(transfer.phases.front().parts.size(), 9U);  // within nodes, and one for each rail
  const double tree_s = 2 * 2 * (kNetworkHop + machine.network_wire_s());
  for (const Part& part : transfer.phases.front().parts) EXPECT_NEAR(part.latency_s, kNvlsLatency + tree_s, 1e-12);
  double over_nics = 0.0;
  for (const auto& [link, bytes] : loads(transfer)) {
    const Link& data = machine.topology.link(link);
    if (data.kind == LinkKind::nic && data.is_up) over_nics += bytes;
  }
  EXPECT_NEAR(over_nics, 2.0 * 3 * kBytes, 10.0);  // up and down each of two trees' three edges, with half the payload
}

TEST(Nvls, IsARingWhereNoSwitchReduces) {
  NodeSpec mesh = round_node(4, 0);
  mesh.intra = IntraKind::nvlink_mesh;
  const CollectiveCatalog reducing = reducing_catalog();
  CollectiveCatalog small = reducing;
  small.nvls.most_ranks = 4;
  const Machine meshed(mesh, round_fabric(1), reducing), single(round_node(1, 1), round_fabric(4), reducing),
      plain(round_node(8, 8), round_fabric(1)), large(round_node(8, 8), round_fabric(1), small);
  for (const Machine* machine : {&meshed, &single, &plain, &large}) {
    EXPECT_EQ(machine->time_s(machine->transfer(Kind::all_reduce, kBytes, "nvls")),
              machine->time_s(machine->transfer(Kind::all_reduce, kBytes, "ring")));
    EXPECT_NE(chosen(*machine, kBytes), "nvls");
  }
}

TEST(Nvls, ShippedConstantsHaveItOnHopperAndBlackwellOnly) {
  for (const char* name : {"hgx-h100", "hgx-h200", "hgx-b200", "hgx-a100-80g", "mi300x-8", "pcie-8x-h100"}) {
    const NodeSpec node = catalog_node(name);
    const Machine machine(node, round_fabric(1), collective_catalog("infiniband", node.accelerator.architecture));
    const std::string& architecture = node.accelerator.architecture;
    const bool reduces = node.intra == IntraKind::nvswitch && (architecture == "hopper" || architecture == "blackwell");
    EXPECT_EQ(chosen(machine, 1e10) == "nvls", reduces) << name;
  }
}

TEST(Collnet, NicsCarryEachLanesShareOnce) {
  const Machine machine(round_node(8, 8), round_fabric(4), reducing_catalog());
  const Transfer transfer = machine.transfer(Kind::all_reduce, kBytes, "collnet");
  ASSERT_EQ(transfer.phases.size(), 1U);
  for (const auto& [link, bytes] : loads(transfer)) {
    const LinkKind kind = machine.topology.link(link).kind;
    const bool is_within = kind == LinkKind::nvlink;
    EXPECT_NEAR(bytes, is_within ? 2.0 * 7 / 8 * kBytes : kBytes / 8, 1.0) << name_of(kind);
  }
  const double slowest_s = std::max(kBytes / 8 / kNicBytesPerS, 2.0 * 7 / 8 * kBytes / kNvlinkBytesPerS);
  EXPECT_NEAR(machine.time_s(transfer), kSharpLatency + slowest_s, 1e-12);
}

TEST(Collnet, IsTriedWhereTheScenarioAsksAndTheNetworkReduces) {
  const CollectiveChoice asked{"auto", "auto", true};
  CollectiveCatalog no_nvls = reducing_catalog();
  no_nvls.nvls.share = 0;
  const Machine machine(round_node(1, 1), round_fabric(16), no_nvls);
  EXPECT_EQ(chosen(machine, kBytes, asked), "collnet");
  EXPECT_NE(chosen(machine, kBytes), "collnet");
  const Machine plain(16, 1, 1);
  EXPECT_NE(chosen(plain, kBytes, asked), "collnet");
  EXPECT_EQ(plain.time_s(plain.transfer(Kind::all_reduce, kBytes, "collnet")),
            plain.time_s(plain.transfer(Kind::all_reduce, kBytes, "ring")));
}

TEST(Collnet, ShippedConstantsHaveItOnInfiniBandOnly) {
  for (const char* protocol : {"infiniband", "roce", "efa", "slingshot", "ethernet-tcp"}) {
    EXPECT_EQ(collective_catalog(protocol, "hopper").collnet.exists(), std::string(protocol) == "infiniband");
  }
}

TEST(Pat, SendsARingsBytesInLogarithmicallyManyRounds) {
  for (const std::uint32_t nodes : {2U, 3U, 5U, 8U, 13U}) {
    const Machine machine(nodes, 1, 1);
    const Transfer transfer = machine.transfer(Kind::all_gather, kBytes, "pat");
    EXPECT_NEAR(bytes_sent(machine.topology, transfer), (nodes - 1.0) * kBytes, 10.0) << nodes;
    const double rounds = std::ceil(std::log2(nodes));
    EXPECT_NEAR(transfer.phases.front().parts.front().latency_s,
                kBase + rounds * (kNetworkHop + machine.network_wire_s()), 1e-12)
        << nodes;
  }
}

TEST(Pat, IsForOneMemberPerNodeAndCollectivesOfOneRound) {
  const Machine machine(4, 2, 2);
  EXPECT_EQ(machine.time_s(machine.transfer(Kind::all_gather, kBytes, "pat")),
            machine.time_s(machine.transfer(Kind::all_gather, kBytes, "ring")));
  EXPECT_THROW((void)machine.transfer(Kind::all_reduce, kBytes, "pat"), std::invalid_argument);
}

TEST(Efa, StepsOfGathersAndTreesTakeLonger) {
  CollectiveCatalog catalog = round_catalog();
  catalog.one_round_hop_factor = 3;
  catalog.tree_hop_factor = 10;
  const Machine slow(round_node(1, 1), round_fabric(8), catalog), plain(8, 1, 1);
  const double hop = kNetworkHop + plain.network_wire_s();
  const auto extra_s = [&](Kind kind, const std::string& algorithm) {
    const CollectiveChoice simple{algorithm, "Simple", false};
    return slow.time_s(slow.transfer(kind, kBytes, simple, slow.all)) -
           plain.time_s(plain.transfer(kind, kBytes, simple, plain.all));
  };
  EXPECT_NEAR(extra_s(Kind::all_gather, "ring"), 7 * 2 * hop, 1e-12);
  EXPECT_NEAR(extra_s(Kind::all_reduce, "ring"), 0.0, 1e-12);
  EXPECT_NEAR(extra_s(Kind::all_reduce, "tree"), 6 * 9 * hop, 1e-12);
}

}  // namespace
}  // namespace trainsim
