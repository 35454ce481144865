// Nodes and accelerators as scenarios write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  NodeSpec node;
  std::vector<std::string> faults;  // "key: what; allowed"
};

Read read(const std::string& yaml) {
  const Document document = parse_document("node: " + yaml, "case.yaml");
  Diagnostics diagnostics;
  ReadContext context{document.file, diagnostics};
  Read result{read_node(*document.root.find("node"), "cluster.node", context), {}};
  for (const Diagnostic& fault : diagnostics.all()) {
    result.faults.push_back(fault.key + ": " + fault.what + "; " + fault.allowed);
  }
  return result;
}

TEST(ReadNode, ByNameIsTheCatalogEntry) {
  const Read it = read("hgx-h100");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_EQ(it.node.name, "hgx-h100");
  EXPECT_EQ(it.node.accelerator.name, "h100-sxm");
}

TEST(ReadNode, UnknownNamesSuggestTheNearestAndLaterOnesSaySo) {
  EXPECT_THAT(read("hgx-h10").faults, ElementsAre(HasSubstr("did you mean 'hgx-h100'?")));
  EXPECT_THAT(read("dgx-1-v100").faults, ElementsAre(HasSubstr("not supported yet")));
  EXPECT_THAT(read("{base: nowhere}").faults, ElementsAre(HasSubstr("cluster.node.base: unknown name")));
}

TEST(ReadNode, ChangesOnlyWhatIsWritten) {
  const Read it = read("{base: hgx-h100, nics: {bandwidth: 200Gb/s}, power: 9kW}");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_DOUBLE_EQ(it.node.nics.bandwidth_bytes_per_s, 25e9);
  EXPECT_EQ(it.node.nics.count, 8U);
  EXPECT_DOUBLE_EQ(it.node.power_w, 9000.0);
  EXPECT_DOUBLE_EQ(it.node.intra_bandwidth_bytes_per_s, 450e9);
}

TEST(ReadNode, AFigureSaysWhereItComesFrom) {
  const NodeSpec base = read("hgx-h100").node;
  const Read it = read(
      "{base: hgx-h100, pcie: {latency: {value: 1us, source: measured}}, power: {value: 9kW, estimated: true}, "
      "accelerator: {base: h100-sxm, power: {value: 500W, estimated: capped}}}");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_DOUBLE_EQ(it.node.pcie.latency_s, 1e-6);
  EXPECT_EQ(it.node.source, base.source + "; pcie.latency: measured");
  EXPECT_THAT(it.node.estimated, ElementsAre("intra.latency", "pcie.socket_bandwidth", "power"));
  EXPECT_THAT(it.node.accelerator.estimated, ElementsAre("power"));
  EXPECT_EQ(it.node.accelerator.source, base.accelerator.source + "; power: capped");
}

TEST(ReadNode, AnAcceleratorMayStartFromACatalogOne) {
  const Read it = read(
      "{base: hgx-h100, accelerator: {base: h100-sxm, memory: 96GB, memory_bandwidth: 2.4TB/s, "
      "power: 500W}}");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_DOUBLE_EQ(it.node.accelerator.memory_bytes, 96e9);
  EXPECT_DOUBLE_EQ(it.node.accelerator.peak_flops_per_s.at("bf16"), 989.4e12);
  EXPECT_EQ(it.node.accelerator.name, "h100-sxm");
}

TEST(ReadNode, FewerGpusOfABaseTakeTheirSwitchesAndNicsAlong) {
  const Read it = read("{base: hgx-a100-80g, gpus: 3}");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_EQ(it.node.gpus, 3U);
  EXPECT_EQ(it.node.nics.count, 3U);
  ASSERT_EQ(it.node.pcie.switches.size(), 4U);
  EXPECT_THAT(it.node.pcie.switches[1], ElementsAre(2U));
  EXPECT_THAT(it.node.pcie.switches[2], ElementsAre());
}

TEST(ReadNode, MoreGpusThanTheBaseHasNeedTheirSwitches) {
  EXPECT_THAT(read("{base: hgx-a100-80g, gpus: 16}").faults, ElementsAre(HasSubstr("cluster.node.gpus")));
}

TEST(ReadNode, WrittenOutInFull) {
  const Read it = read(R"({
    accelerator: a100-pcie-80g, gpus: 4, intra: {kind: nvlink-mesh, bandwidth: 100GB/s, groups: [[0, 1], [2, 3]]},
    pcie: {generation: 3, lanes: 8, switches: [[0, 1], [2, 3]], sockets: 1, peer_to_peer: false},
    nics: {count: 1, bandwidth: 100Gb/s, attached: per-socket, gpudirect: false},
    cpu: {memory: 512GB, memory_bandwidth: 200GB/s}, power: 2kW})");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_EQ(it.node.intra, IntraKind::nvlink_mesh);
  EXPECT_DOUBLE_EQ(it.node.intra_bandwidth_bytes_per_s, 100e9);
  EXPECT_THAT(it.node.intra_groups, ElementsAre(ElementsAre(0U, 1U), ElementsAre(2U, 3U)));
  EXPECT_DOUBLE_EQ(it.node.pcie.lane_group_bandwidth_bytes_per_s, pcie_bandwidth_bytes_per_s(3, 8));
  EXPECT_FALSE(it.node.pcie.peer_to_peer);
  EXPECT_FALSE(it.node.nics.gpudirect);
  EXPECT_DOUBLE_EQ(it.node.cpu_memory_bytes, 512e9);
}

TEST(ReadNode, BidirectionalBandwidthIsHalvedAndExcludesTheOther) {
  EXPECT_DOUBLE_EQ(read("{base: hgx-h100, intra: {bandwidth_bidirectional: 600GB/s}}").node.intra_bandwidth_bytes_per_s,
                   300e9);
  EXPECT_THAT(read("{base: hgx-h100, intra: {bandwidth: 1GB/s, bandwidth_bidirectional: 2GB/s}}").faults,
              ElementsAre(HasSubstr("one of the two")));
}

TEST(ReadNode, WithoutABaseNamesEveryMissingKey) {
  EXPECT_THAT(read("{pcie: {generation: 4}}").faults,
              ElementsAre(HasSubstr("accelerator"), HasSubstr("gpus"), HasSubstr("intra")));
}

TEST(ReadNode, KindsThatDoNotWorkYetAreRefusedByName) {
  for (const char* kind : {"hybrid-cube-mesh", "ici-torus"}) {
    EXPECT_THAT(read("{base: hgx-h100, intra: {kind: " + std::string(kind) + "}}").faults,
                ElementsAre(HasSubstr("not supported yet")));
  }
  EXPECT_THAT(read("{base: hgx-h100, nvme: {capacity: 30TB}, cxl: {generation: 2}}").faults,
              ElementsAre(HasSubstr("nvme: not supported yet"), HasSubstr("cxl: not supported yet")));
}

TEST(ReadNode, WhatMakesNoSenseIsAFaultAtItsKey) {
  EXPECT_THAT(read("{base: hgx-h100, intra: {kind: pcie-tree, bandwidth: 1GB/s}}").faults,
              ElementsAre(HasSubstr("intra.bandwidth: has no meaning")));
  EXPECT_THAT(read("{base: hgx-h100, intra: {groups: [[0, 1]]}}").faults, ElementsAre(HasSubstr("intra.groups")));
  EXPECT_THAT(read("{base: hgx-h100, intra: {kind: none}}").faults, ElementsAre(HasSubstr("gpus")));
  EXPECT_THAT(read("{base: hgx-h100, pcie: {switches: [[0, 0]]}}").faults, ElementsAre(HasSubstr("twice")));
  EXPECT_THAT(read("{base: hgx-h100, pcie: {switches: [[8]]}}").faults, ElementsAre(HasSubstr("pcie.switches")));
  EXPECT_THAT(read("{base: hgx-h100, pcie: {generation: 7}}").faults, ElementsAre(HasSubstr("pcie.generation")));
  EXPECT_THAT(read("{base: hgx-h100, pcie: {switches: []}, nics: {attached: per-switch}}").faults,
              ElementsAre(HasSubstr("nics.attached")));
  EXPECT_THAT(read("{base: pcie-4x-h100, intra: {kind: nvswitch}}").faults, ElementsAre(HasSubstr("intra.bandwidth")));
  EXPECT_THAT(read("{base: hgx-h100, gpuss: 4}").faults, ElementsAre(HasSubstr("did you mean 'gpus'?")));
}

TEST(ReadNode, TraysShareOneDescriptionOfTheHost) {
  const Read it = read("{base: hgx-h100, gpus_per_tray: 4, pcie: {switches: [[0, 1], [2, 3]]}}");
  EXPECT_THAT(it.faults, ElementsAre());
  EXPECT_EQ(trays_of(it.node), 2U);
  EXPECT_EQ(rails_of(it.node), 4U);
  EXPECT_THAT(read("{base: hgx-h100, gpus_per_tray: 4, pcie: {switches: [[4]]}}").faults,
              ElementsAre(HasSubstr("pcie.switches")));
  EXPECT_THAT(read("{base: hgx-h100, gpus_per_tray: 0}").faults, ElementsAre(HasSubstr("gpus_per_tray")));
}

TEST(ReadNode, ReportsSeveralFaultsTogether) {
  EXPECT_THAT(read("{base: hgx-h100, power: 3, nics: {count: -1}, cpu: {memory: 1GB/s}}").faults.size(), 3U);
}

TEST(WithGpus, OfARackKeepsTheTraysThatAreLeft) {
  const NodeSpec node = with_gpus(catalog_node("gb200-nvl72"), 64);
  EXPECT_EQ(trays_of(node), 16U);
  EXPECT_EQ(node.nics.count, 64U);
  EXPECT_EQ(rails_of(node), 4U);
  EXPECT_EQ(trays_of(with_gpus(node, 6)), 2U);
  EXPECT_EQ(rails_of(with_gpus(node, 6)), 4U);
}

TEST(WithGpus, OfAMeshKeepsTheLinksThatAreLeft) {
  EXPECT_DOUBLE_EQ(with_gpus(catalog_node("mi300x-8"), 4).intra_bandwidth_bytes_per_s, 3 * 64e9);
  EXPECT_DOUBLE_EQ(with_gpus(catalog_node("h200-nvl-8"), 4).intra_bandwidth_bytes_per_s, 450e9);
}

TEST(WithGpus, KeepsProportionsOfNicsAndAtLeastOne) {
  EXPECT_EQ(with_gpus(catalog_node("hgx-h100"), 4).nics.count, 4U);
  NodeSpec two = catalog_node("hgx-h100");
  two.nics.count = 2;
  EXPECT_EQ(with_gpus(two, 1).nics.count, 1U);
  EXPECT_EQ(with_gpus(catalog_node("pcie-8x-h100"), 4).nics.count, 2U);  // per switch: they stay
}

}  // namespace
}  // namespace trainsim
