#include "simulator/input/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainsim {
namespace {

using ::testing::HasSubstr;

double value_of(std::string_view text, Unit unit) {
  const ParsedQuantity parsed = parse_quantity(text, unit);
  EXPECT_EQ(parsed.error, "") << text;
  return parsed.value;
}

TEST(ParseQuantity, ReadsEveryUnitInSiBaseUnits) {
  EXPECT_EQ(value_of("80GB", Unit::bytes), 80e9);
  EXPECT_EQ(value_of("64MiB", Unit::bytes), 64.0 * 1024 * 1024);
  EXPECT_EQ(value_of("1.5kB", Unit::bytes), 1500);
  EXPECT_EQ(value_of("1.5KB", Unit::bytes), 1500);
  EXPECT_EQ(value_of("8b", Unit::bytes), 1);
  EXPECT_EQ(value_of("2TiB", Unit::bytes), 2.0 * 1024 * 1024 * 1024 * 1024);
  EXPECT_EQ(value_of("400Gb/s", Unit::bytes_per_s), 50e9);
  EXPECT_EQ(value_of("900GB/s", Unit::bytes_per_s), 900e9);
  EXPECT_EQ(value_of("1PB/s", Unit::bytes_per_s), 1e15);
  EXPECT_EQ(value_of("5us", Unit::seconds), 5e-6);
  EXPECT_EQ(value_of("3ns", Unit::seconds), 3e-9);
  EXPECT_EQ(value_of("2ms", Unit::seconds), 2e-3);
  EXPECT_EQ(value_of("0.8s", Unit::seconds), 0.8);
  EXPECT_EQ(value_of("2min", Unit::seconds), 120);
  EXPECT_EQ(value_of("3.5h", Unit::seconds), 12600);
  EXPECT_EQ(value_of("1d", Unit::seconds), 86400);
  EXPECT_EQ(value_of("989TFLOP/s", Unit::flops_per_s), 989e12);
  EXPECT_EQ(value_of("700W", Unit::watts), 700);
  EXPECT_EQ(value_of("10.2kW", Unit::watts), 10200);
  EXPECT_EQ(value_of("32C", Unit::celsius), 32);
  EXPECT_EQ(value_of("-5C", Unit::celsius), -5);
  EXPECT_EQ(value_of("250kUSD", Unit::usd), 250e3);
  EXPECT_EQ(value_of("0.12USD/kWh", Unit::usd_per_kwh), 0.12);
  EXPECT_EQ(value_of("1e3GB", Unit::bytes), 1e12);
}

TEST(ParseQuantity, RoundsOnceSoThatAPrefixCostsNoPrecision) {
  EXPECT_EQ(value_of("1.1GB", Unit::bytes), 1.1e9);
  EXPECT_EQ(value_of("0.3us", Unit::seconds), 0.3e-6);
  EXPECT_EQ(value_of("1.5us", Unit::seconds), 1.5e-6);
}

TEST(ParseQuantity, SaysWhatIsWrong) {
  const auto error = [](std::string_view text, Unit unit) { return parse_quantity(text, unit).error; };
  EXPECT_EQ(error("400", Unit::bytes_per_s), "a number without a unit");
  EXPECT_EQ(error("0", Unit::seconds), "a number without a unit");
  EXPECT_EQ(error("5us", Unit::bytes_per_s), "a time where a bandwidth is due");
  EXPECT_EQ(error("80GB", Unit::bytes_per_s), "an amount of data where a bandwidth is due");
  EXPECT_EQ(error("400Gbs", Unit::bytes_per_s), "unknown unit 'Gbs', did you mean 'Gb/s'?");
  EXPECT_EQ(error("5parsec", Unit::seconds), "unknown unit 'parsec'");
  EXPECT_EQ(error("5 us", Unit::seconds), "a space between number and unit");
  EXPECT_EQ(error("fast", Unit::bytes_per_s), "not a number");
  EXPECT_EQ(error("", Unit::bytes), "not a number");
  EXPECT_EQ(error("-", Unit::bytes), "not a number");
  EXPECT_EQ(error(".GB", Unit::bytes), "not a number");
  EXPECT_THAT(error("007GB", Unit::bytes), HasSubstr("leading zeros"));
  EXPECT_THAT(error("nan", Unit::bytes), HasSubstr("NaN"));
  EXPECT_THAT(error("-.inf", Unit::bytes), HasSubstr("infinities"));
  EXPECT_THAT(error("0x10GB", Unit::bytes), HasSubstr("hexadecimal"));
  EXPECT_THAT(error("1_000B", Unit::bytes), HasSubstr("underscores"));
  EXPECT_THAT(error("1e999GB", Unit::bytes), HasSubstr("too large"));
  EXPECT_THAT(error("1e308PB", Unit::bytes), HasSubstr("too large"));
  EXPECT_THAT(error("1e308TiB", Unit::bytes), HasSubstr("too large"));
  EXPECT_THAT(error("1e-999s", Unit::seconds), HasSubstr("too small"));
  EXPECT_THAT(error("1e99999999999s", Unit::seconds), HasSubstr("too large"));
  EXPECT_THAT(error("1e2147483647MB", Unit::bytes), HasSubstr("too large"));
}

TEST(ParseNumber, ReadsPlainNumbers) {
  EXPECT_EQ(parse_number("0").value, 0);
  EXPECT_EQ(parse_number("0.5").value, 0.5);
  EXPECT_EQ(parse_number(".5").value, 0.5);
  EXPECT_EQ(parse_number("+2").value, 2);
  EXPECT_EQ(parse_number("-1.5e-3").value, -1.5e-3);
  EXPECT_EQ(parse_number("300e9").value, 300e9);
}

TEST(ParseNumber, RefusesWhatIsNoPlainNumber) {
  for (const char* text :
       {"",      "007",    "-00",   "00.5",  "0x1F", "0o17", "1_000", "nan", ".NaN", "inf",  "-Infinity",
        "1e999", "1e-999", "12abc", "1.2.3", "1,5",  "1 ",   "e5",    "--1", "0b1",  "300B", "5us"}) {
    EXPECT_NE(parse_number(text).error, "") << text;
  }
}

TEST(ParseNumber, ReadsCountsOfTokensAndParameters) {
  EXPECT_EQ(parse_number("300B", true).value, 300e9);
  EXPECT_EQ(parse_number("15T", true).value, 15e12);
  EXPECT_EQ(parse_number("6.74B", true).value, 6.74e9);
  EXPECT_EQ(parse_number("300M", true).value, 300e6);
  EXPECT_EQ(parse_number("4k", true).value, 4e3);
  EXPECT_NE(parse_number("4GB", true).error, "");
  EXPECT_NE(parse_number("4G", true).error, "");
}

TEST(FormatQuantity, ChoosesTheUnitThatReadsBest) {
  EXPECT_EQ(format_quantity(4e11, Unit::bytes_per_s), "400GB/s");
  EXPECT_EQ(format_quantity(1.5e-6, Unit::seconds), "1.5us");
  EXPECT_EQ(format_quantity(7200, Unit::seconds), "2h");
  EXPECT_EQ(format_quantity(90, Unit::seconds), "90s");
  EXPECT_EQ(format_quantity(64.0 * 1024 * 1024, Unit::bytes), "64MiB");
  EXPECT_EQ(format_quantity(0, Unit::bytes), "0B");
  EXPECT_EQ(format_quantity(0, Unit::seconds), "0s");
  EXPECT_EQ(format_quantity(-5, Unit::celsius), "-5C");
  EXPECT_EQ(format_quantity(989e12, Unit::flops_per_s), "989TFLOP/s");
  EXPECT_EQ(format_quantity(10200, Unit::watts), "10.2kW");
  EXPECT_EQ(format_quantity(0.12, Unit::usd_per_kwh), "0.12USD/kWh");
  EXPECT_EQ(format_quantity(250e3, Unit::usd), "250kUSD");
}

TEST(FormatQuantity, WritesExtremeValuesWithAnExponent) {
  EXPECT_EQ(format_quantity(1e300, Unit::bytes), "1e300B");
  EXPECT_EQ(format_quantity(2.5e-300, Unit::seconds), "2.5e-300s");
}

TEST(ExampleOf, IsItselfAQuantityOfThatUnit) {
  EXPECT_THAT(std::string(example_of(Unit::bytes_per_s)), HasSubstr("400Gb/s"));
  EXPECT_THAT(std::string(example_of(Unit::seconds)), HasSubstr("5us"));
}

}  // namespace
}  // namespace trainsim
