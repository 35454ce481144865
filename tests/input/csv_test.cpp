// Comma-separated values: cells, records, and what is refused where.
#include "simulator/input/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "simulator/input/input_error.hpp"

namespace trainsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::vector<std::string>> cells(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::vector<std::string>> all;
  for (const CsvRecord& record : read_csv(stream)) all.push_back(record.cells);
  return all;
}

std::filesystem::path file_with(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv");
  std::ofstream(path) << text;
  return path;
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineBreaks) {
  EXPECT_THAT(cells("a,\"b,c\",\"say \"\"no\"\"\"\r\n\"two\nlines\",,d\n"),
              ElementsAre(ElementsAre("a", "b,c", "say \"no\""), ElementsAre("two\nlines", "", "d")));
}

TEST(Csv, TheLastRecordNeedsNoLineBreak) {
  EXPECT_THAT(cells("a,b\nc,"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "")));
}

TEST(Csv, RowsKnowTheirLine) {
  const auto rows = read_csv_rows(file_with("a,b\n\"two\nlines\",1\nx,2\n"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].line(), 2);
  EXPECT_EQ(rows[1].line(), 4);
  EXPECT_EQ(rows[1].number("b"), 2.0);
}

TEST(Csv, CountsAreWholeAndPositive) {
  const CsvRow row({{"whole", "48.0"}, {"half", "0.5"}, {"zero", "0"}, {"words", "128-512"}, {"none", ""}});
  EXPECT_EQ(row.count("whole"), 48);
  EXPECT_EQ(row.number("half"), 0.5);
  for (const char* column : {"half", "zero", "words", "none", "absent"}) EXPECT_EQ(row.count(column), std::nullopt);
}

TEST(Csv, AllFaultsAreToldAtOnce) {
  try {
    read_csv_rows(file_with("a,b\n1\n1,2\n1,2,3\n"), {"a", "time_s"});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 3U);
    EXPECT_THAT(error.diagnostics()[0].text(), HasSubstr(":1:1: time_s: no such column"));
    EXPECT_THAT(error.diagnostics()[1].text(), HasSubstr(":2:1: a record of 1 cells; 2, as the header"));
    EXPECT_THAT(error.diagnostics()[2].text(), HasSubstr(":4:1: a record of 3 cells"));
  }
}

}  // namespace
}  // namespace trainsim
