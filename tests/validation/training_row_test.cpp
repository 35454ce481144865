// Cells and records of the published runs.
#include "tests/validation/training_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace trainsim {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<std::string>> records(const std::string& text) {
  std::istringstream stream(text);
  return read_csv(stream);
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineBreaks) {
  EXPECT_THAT(records("a,\"b,c\",\"say \"\"no\"\"\"\r\n\"two\nlines\",,d\n"),
              ElementsAre(ElementsAre("a", "b,c", "say \"no\""), ElementsAre("two\nlines", "", "d")));
}

TEST(Csv, TheLastRecordNeedsNoLineBreak) {
  EXPECT_THAT(records("a,b\nc,"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "")));
}

TEST(TrainingRow, CountsAreWholeAndPositive) {
  const TrainingRow row({{"whole", "48.0"}, {"half", "0.5"}, {"zero", "0"}, {"words", "128-512"}, {"none", ""}});
  EXPECT_EQ(row.count("whole"), 48);
  EXPECT_EQ(row.number("half"), 0.5);
  for (const char* column : {"half", "zero", "words", "none", "absent"}) EXPECT_EQ(row.count(column), std::nullopt);
}

}  // namespace
}  // namespace trainsim
