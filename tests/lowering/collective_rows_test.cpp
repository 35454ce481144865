// Rows of the two tables: what is compared, with what, and why the others are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "scenarios/validation/collective_validation.hpp"
#include "simulator/input/input_error.hpp"

namespace trainsim {
namespace {

class CollectiveRows : public ::testing::Test {
 protected:
  CollectiveRows() {
    std::filesystem::create_directories(folder_ / "kernels");
    std::filesystem::create_directories(folder_ / "measured");
    write("kernels/collectives_tables.csv", "");
    write("measured/collectives.csv", "");
  }
  ~CollectiveRows() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& file, const std::string& rows) const {
    const bool is_first = file.starts_with("kernels");
    std::ofstream(folder_ / file)
        << (is_first ? "accelerator,nodes,gpus,collective,bytes,time_us,busbw_gbps,library,algo,topology,note,source\n"
                     : "row_id,source,collective,gpu,n_gpus,n_nodes,intra_node,inter_node,library,size_bytes,time_us,"
                       "busbw_GBps,notes\n")
        << rows;
  }
  [[nodiscard]] CollectiveValidation validation_of(const std::string& rows) const {
    write("kernels/collectives_tables.csv", rows);
    return validate_collectives(folder_);
  }
  [[nodiscard]] std::map<std::string, std::size_t> reasons_of(const std::string& rows) const {
    std::map<std::string, std::size_t> reasons;
    for (const auto& [why, count] : validation_of(rows).set_aside) reasons[why] = count;
    return reasons;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(CollectiveRows, AreComparedOnTheMachineThatTheyName) {
  const CollectiveValidation validation = validation_of(
      "H100-SXM-80GB,1,8,all_reduce,1000000000,4000,,NCCL,,1 node NVSwitch,,x\n"
      "H100-SXM-80GB,2,16,all_gather,1000000000,3000,,NCCL,,8x400G EFA,,x\n"
      "H200-SXM-141GB,1,8,all_reduce,1000000000,4000,,NCCL,Ring,NVLink4,,x\n");
  ASSERT_EQ(validation.compared.size(), 3U);
  EXPECT_EQ(validation.compared[0].network, "one node");
  EXPECT_EQ(validation.compared[0].algorithm, "nvls Simple");
  EXPECT_EQ(validation.compared[1].network, "efa");
  EXPECT_EQ(validation.compared[2].algorithm, "ring Simple");
  EXPECT_GT(validation.compared[2].predicted_s, validation.compared[0].predicted_s);
  EXPECT_EQ(validation.compared[0].place, "collectives_tables.csv:2");
  EXPECT_EQ(validation.groups.size(), 3U);
  EXPECT_TRUE(validation.set_aside.empty());
}

TEST_F(CollectiveRows, WithoutATimeTakeItFromTheBusBandwidth) {
  const CollectiveValidation validation = validation_of("B200-SXM,1,8,reduce_scatter,8000000,,700,NCCL,,NVLink5,,x\n");
  ASSERT_EQ(validation.compared.size(), 1U);
  EXPECT_DOUBLE_EQ(validation.compared.front().measured_s, 8e6 * 7 / 8 / 700e9);
}

TEST_F(CollectiveRows, ThatSayNothingAboutTheLibraryOnAKnownMachineAreCountedWithTheReason) {
  const std::map<std::string, std::size_t> reasons = reasons_of(
      "H100-SXM-80GB,1,8,all_reduce,1000,10,,TRTLLM 1.0,,NVLink4,,x\n"
      "H100-SXM-80GB,1,8,all_reduce,1000,10,,vLLM 0.1,,NVLink4,,x\n"
      "H100-SXM-80GB,1,8,moe_dispatch,1000,10,,DeepEP,,NVLink4,,x\n"
      "L40S,1,8,all_reduce,1000,10,,NCCL,,PCIe4,,x\n"
      "Voodoo2,1,8,all_reduce,1000,10,,NCCL,,PCI,,x\n"
      "H100-SXM-80GB,2,16,all_reduce,1000,10,,NCCL,,NVLink4,,x\n"
      "H100-SXM-80GB,1,8,all_reduce,,10,,NCCL,,NVLink4,,x\n"
      "H100-SXM-80GB,1,8,all_reduce,1000,,,NCCL,,NVLink4,,x\n"
      "MI300X,1,8,all_reduce,1000,10,,RCCL,,xGMI,an acceptance bar,x\n");
  EXPECT_EQ(reasons.at("all-reduce kernels of an inference engine"), 2U);
  EXPECT_EQ(reasons.at("expert dispatch and combine, no collective of the library"), 1U);
  EXPECT_EQ(reasons.at("a virtual machine without peer-to-peer, not the accelerator"), 1U);
  EXPECT_EQ(reasons.at("the machine is not in the catalog"), 1U);
  EXPECT_EQ(reasons.at("network between nodes not stated"), 1U);
  EXPECT_EQ(reasons.at("no message size"), 1U);
  EXPECT_EQ(reasons.at("neither time nor bus bandwidth"), 1U);
  EXPECT_EQ(reasons.at("an acceptance bar, not a measurement"), 1U);
}

TEST_F(CollectiveRows, OfTheSecondTableAreReadToo) {
  write("measured/collectives.csv",
        "c1,x,all_reduce,H100-SXM5-80GB,16,2,NVLink4+NVSwitch,8x mlx5 IB (400G class),NCCL,1000000000,4500,,\n");
  const CollectiveValidation validation = validate_collectives(folder_);
  ASSERT_EQ(validation.compared.size(), 1U);
  EXPECT_EQ(validation.compared.front().network, "infiniband");
  EXPECT_NEAR(validation.compared.front().error(), 0.0, 0.25);
  const auto json = collective_json(validation);
  EXPECT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["groups"][0]["accelerator"], "H100-SXM5-80GB");
  EXPECT_THAT(collective_table(validation), testing::HasSubstr("infiniband"));
}

TEST_F(CollectiveRows, MissingTablesAreErrors) {
  std::filesystem::remove(folder_ / "measured/collectives.csv");
  EXPECT_THROW((void)validate_collectives(folder_), InputError);
}

}  // namespace
}  // namespace trainsim
