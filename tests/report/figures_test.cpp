#include "scenarios/report/figures.hpp"

#include <gmock/gmock.h>

namespace trainsim {
namespace {

TEST(Figures, ThousandsAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Figures, FourDigitsAreShown) {
  EXPECT_EQ(significant(20.8345), "20.83");
  EXPECT_EQ(significant(150987.4), "150,987");
  EXPECT_EQ(significant(0.0), "0");
}

TEST(Figures, DurationsChangeUnitWhereTheyBecomeUnwieldy) {
  EXPECT_EQ(duration(0.0), "0 us");
  EXPECT_EQ(duration(2.5e-5), "25 us");
  EXPECT_EQ(duration(0.8123), "812.3 ms");
  EXPECT_EQ(duration(119.9), "119.9 s");
  EXPECT_EQ(duration(120.0), "2 min");
  EXPECT_EQ(duration(7200.0), "2 h");
  EXPECT_EQ(duration(172800.0), "2 days");
}

TEST(Figures, UnitsAreDecimalForRatesAndBinaryForMemory) {
  EXPECT_EQ(bandwidth(4.5e11), "450 GB/s");
  EXPECT_EQ(gibibytes(1073741824.0), "1.0 GiB");
  EXPECT_EQ(scaled_count(174.6e9), "174.6B");
  EXPECT_EQ(percent(0.123), "12.3 %");
}

TEST(Figures, ControlCharactersAreEscaped) { EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a"); }

TEST(Figures, RepeatsInAListAreShortened) {
  EXPECT_EQ(runs({7, 8, 8, 8, 7}), "7, 8 x3, 7");
  EXPECT_EQ(runs({}), "");
}

TEST(Figures, AnItemOfAListContinuesUnderItsText) {
  EXPECT_EQ(bullet("one two three", 11), "  - one two\n    three\n");
}

TEST(Figures, LongTextBreaksAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable", 4, 0), "unbreakable\n");
  EXPECT_EQ(wrapped("", 10, 2), "\n");
}

}  // namespace
}  // namespace trainsim
