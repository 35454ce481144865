#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "simulator/input/document.hpp"
#include "simulator/input/quantity.hpp"

namespace trainsim {
namespace {

const std::vector<Unit> kUnits = {Unit::bytes, Unit::bytes_per_s, Unit::seconds, Unit::flops_per_s,
                                  Unit::watts, Unit::celsius,     Unit::usd,     Unit::usd_per_kwh};

void expect_round_trip(double value, Unit unit) {
  const std::string text = format_quantity(value, unit);
  const ParsedQuantity back = parse_quantity(text, unit);
  RC_LOG() << "text: " << text << " error: " << back.error << '\n';
  RC_ASSERT(back.error.empty());
  RC_ASSERT(std::bit_cast<std::uint64_t>(back.value) == std::bit_cast<std::uint64_t>(value));
}

TEST(FormatQuantity, IsReadBackBitByBitForEveryFiniteDouble) {
  EXPECT_TRUE(rc::check([] {
    const double value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
    RC_PRE(std::isfinite(value));
    expect_round_trip(value, *rc::gen::elementOf(kUnits));
  }));
}

TEST(FormatQuantity, IsReadBackBitByBitForValuesPeopleWrite) {
  EXPECT_TRUE(rc::check([] {
    const double value = static_cast<double>(*rc::gen::inRange(0, 100000)) / *rc::gen::element(1.0, 3.0, 8.0, 1000.0) *
                         *rc::gen::element(1e-9, 1e-6, 1.0, 60.0, 3600.0, 1024.0, 1e6, 1e9, 1073741824.0, 1e12);
    expect_round_trip(value, *rc::gen::elementOf(kUnits));
  }));
}

TEST(ParseDocument, EndsWithATreeOrAnInputErrorForAnyText) {
  // Pieces that YAML gives a meaning to, in any order.
  const std::vector<std::string> pieces = {"a", "b: ", ": ", "\n",    "  ",    "- ",    "[",   "]",    "{",
                                           "}", ",",   "\"", "'",     "&x ",   "*x",    "!t ", "<<: ", "? ",
                                           "|", ">",   "#",  "---\n", "...\n", "%YAML", "\t",  "1.5"};
  EXPECT_TRUE(rc::check([&pieces] {
    std::string text;
    for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)))
      text += piece;
    RC_LOG() << text << '\n';
    try {
      RC_ASSERT(parse_document(text, "f").root.kind != Node::Kind::null);
    } catch (const InputError& error) {
      RC_ASSERT(!error.diagnostics().empty());
      for (const Diagnostic& diagnostic : error.diagnostics()) RC_ASSERT(diagnostic.where.line >= 1);
    }
  }));
}

}  // namespace
}  // namespace trainsim
