#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/topologies/machines.hpp"
#include "topologies/catalog.hpp"

namespace trainsim::testing {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

TEST(Catalog, EveryAcceleratorReadsAndSaysWhereItsFiguresComeFrom) {
  ASSERT_THAT(accelerator_names(), SizeIs(26));
  for (const std::string& name : accelerator_names()) {
    const Accelerator it = catalog_accelerator(name);
    EXPECT_EQ(it.name, name);
    EXPECT_FALSE(it.source.empty()) << name;
    EXPECT_THAT(it.source, ::testing::HasSubstr("memory:")) << name;
    EXPECT_FALSE(it.architecture.empty()) << name;
    EXPECT_GT(it.processors, 0U) << name;
    EXPECT_GT(it.memory_bytes, 10e9) << name;
    EXPECT_GT(it.memory_bandwidth_bytes_per_s, 100e9) << name;
    EXPECT_GT(it.power_w, 0.0) << name;
    EXPECT_TRUE(it.peak_flops_per_s.contains("fp32")) << name;
    EXPECT_TRUE(it.peak_flops_per_s.contains("fp16")) << name;
  }
}

TEST(Catalog, EveryNodeReadsBuildsAndRoutes) {
  ASSERT_THAT(node_names(), SizeIs(25));
  for (const std::string& name : node_names()) {
    const NodeSpec it = catalog_node(name);
    EXPECT_EQ(it.name, name);
    EXPECT_FALSE(it.source.empty()) << name;
    EXPECT_FALSE(it.accelerator.name.empty()) << name;
    EXPECT_GT(it.cpu_memory_bytes, 0.0) << name;
    EXPECT_GT(it.cpu_memory_bandwidth_bytes_per_s, 0.0) << name;
    EXPECT_GT(it.power_w, it.gpus * 50.0) << name;
    const FabricKind kind = trays_of(it) > 1 ? FabricKind::rail_optimized : FabricKind::leaf_spine;
    const Topology topology = build_topology(it, fabric_of(kind, 3));
    const Router router(topology, {it.pcie.peer_to_peer, it.nics.gpudirect});
    for (std::size_t gpu = 1; gpu < topology.gpus().size(); ++gpu) {
      EXPECT_TRUE(is_proper_route(topology, router.route(GpuId(0), GpuId(gpu)), GpuId(0), GpuId(gpu))) << name;
    }
  }
}

TEST(Catalog, KeepsTheMarksOfEstimates) {
  EXPECT_THAT(catalog_node("pcie-4x-h100").estimated, Contains("power"));
  EXPECT_THAT(catalog_accelerator("h200-sxm").estimated, Contains("memory"));
  EXPECT_TRUE(catalog_accelerator("h100-sxm").estimated.empty());
}

TEST(Catalog, HasThePublishedFiguresOfTheMainNodes) {
  const NodeSpec a100 = catalog_node("hgx-a100-80g");
  EXPECT_NEAR(a100.accelerator.memory_bytes, 8.4987e10, 1e6);
  EXPECT_DOUBLE_EQ(a100.accelerator.peak_flops_per_s.at("bf16"), 312e12);
  EXPECT_DOUBLE_EQ(a100.intra_bandwidth_bytes_per_s, 300e9);
  EXPECT_DOUBLE_EQ(a100.nics.bandwidth_bytes_per_s, 25e9);
  EXPECT_EQ(a100.nics.count, 8U);
  const NodeSpec h100 = catalog_node("hgx-h100");
  EXPECT_DOUBLE_EQ(h100.intra_bandwidth_bytes_per_s, 450e9);
  EXPECT_DOUBLE_EQ(h100.nics.bandwidth_bytes_per_s, 50e9);
  EXPECT_NEAR(h100.pcie.lane_group_bandwidth_bytes_per_s, 16 * 3.938e9, 1e7);
}

TEST(Catalog, HasThePublishedFiguresOfRackScaleAndMeshNodes) {
  const NodeSpec gb200 = catalog_node("gb200-nvl72");
  EXPECT_EQ(trays_of(gb200), 18U);
  EXPECT_EQ(rails_of(gb200), 4U);
  EXPECT_DOUBLE_EQ(gb200.intra_bandwidth_bytes_per_s, 900e9);
  EXPECT_DOUBLE_EQ(gb200.accelerator.peak_flops_per_s.at("nvfp4"), 10e15);
  EXPECT_DOUBLE_EQ(catalog_node("gb300-nvl72").nics.bandwidth_bytes_per_s, 100e9);
  const NodeSpec mi300x = catalog_node("mi300x-8");
  EXPECT_EQ(mi300x.intra, IntraKind::xgmi_mesh);
  EXPECT_DOUBLE_EQ(mi300x.intra_bandwidth_bytes_per_s, 7 * 64e9);
  EXPECT_DOUBLE_EQ(catalog_node("gaudi2-8").intra_bandwidth_bytes_per_s, 21 * 12.5e9);
}

TEST(Catalog, ListsNoNameTwiceNorBothNowAndLater) {
  for (const auto& [now, later] :
       {std::pair(accelerator_names(), later_accelerator_names()), std::pair(node_names(), later_node_names())}) {
    std::set<std::string> all(now.begin(), now.end());
    all.insert(later.begin(), later.end());
    EXPECT_EQ(all.size(), now.size() + later.size());
  }
}

TEST(Catalog, AnUnknownNameIsOutOfRange) {
  EXPECT_THROW(catalog_accelerator("h100"), std::out_of_range);
  EXPECT_THROW(catalog_node(""), std::out_of_range);
}

TEST(Catalog, HasAFingerprint) { EXPECT_THAT(topology_catalog_sha256(), SizeIs(64)); }

TEST(Pcie, SlotsCarryWhatTheLineCodeLeaves) {
  EXPECT_NEAR(pcie_bandwidth_bytes_per_s(3, 1), 0.985e9, 1e6);
  EXPECT_NEAR(pcie_bandwidth_bytes_per_s(4, 16), 16 * 1.969e9, 1e7);
  EXPECT_NEAR(pcie_bandwidth_bytes_per_s(5, 16), 16 * 3.938e9, 1e7);
  EXPECT_NEAR(pcie_bandwidth_bytes_per_s(6, 1), 7.563e9, 1e6);
  EXPECT_THROW(pcie_bandwidth_bytes_per_s(2, 16), std::invalid_argument);
}

}  // namespace
}  // namespace trainsim::testing
