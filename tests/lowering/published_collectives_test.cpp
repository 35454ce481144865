// The shipped constants against published tables of collectives: half of the predicted times within 10 %, nine tenths
// within 25 %.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scenarios/validation/collective_validation.hpp"

namespace trainsim {
namespace {

constexpr double kMedian = 0.10;
constexpr double kNineTenths = 0.25;

class PublishedCollectives : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = std::filesystem::path(TRAINSIM_SOURCE_DIR) / ".." / "shared" / "data";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the published tables are not beside the project: " << folder;
    validation_ = validate_collectives(folder);
  }

  CollectiveValidation validation_;
};

TEST_F(PublishedCollectives, ArePredictedAsCloselyAsPromised) {
  EXPECT_GE(validation_.all.n, 6000U);
  EXPECT_LE(validation_.all.median, kMedian) << collective_table(validation_);
  EXPECT_LE(validation_.all.p90, kNineTenths) << collective_table(validation_);
}

TEST_F(PublishedCollectives, AreAllAccountedFor) {
  std::size_t rows = validation_.compared.size();
  for (const auto& one : validation_.set_aside) {
    EXPECT_NE(one.why, "");
    rows += one.rows;
  }
  std::size_t grouped = 0;
  for (const auto& group : validation_.groups) grouped += group.time.n;
  EXPECT_EQ(grouped, validation_.compared.size());
  EXPECT_GT(rows, 21000U);
  EXPECT_EQ(validation_.worst.size(), 5U);
  EXPECT_EQ(collective_json(validation_)["all"]["n"], validation_.all.n);
}

}  // namespace
}  // namespace trainsim
