#include "simulator/input/input_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/input/utf8.hpp"

namespace trainsim {
namespace {

TEST(DiagnosticText, NamesFileLineColumnKeyFaultAndWhatIsAllowed) {
  const Diagnostic diagnostic{{"a.yaml", 12, 5}, "cluster.nodes", "out of range", "at least 1"};
  EXPECT_EQ(diagnostic.text(), "a.yaml:12:5: cluster.nodes: out of range; at least 1");
}

TEST(DiagnosticText, OfAWholeFileHasNoLine) {
  EXPECT_EQ((Diagnostic{{"a.yaml", 0, 0}, "", "no such file", ""}).text(), "a.yaml: no such file");
}

TEST(DiagnosticText, EscapesControlCharactersAndBytesThatAreNotUtf8) {
  const Diagnostic diagnostic{{"a\nb", 1, 2}, "k\x1b[2J", "\xff\x7f\xc2\x9b\tü", ""};
  EXPECT_EQ(diagnostic.text(), "a\\nb:1:2: k\\x1b[2J: \\xff\\x7f\\xc2\\x9b\\tü");
}

TEST(InputError, CarriesEveryFaultSortedByPlace) {
  Diagnostics diagnostics;
  EXPECT_NO_THROW(diagnostics.throw_if_any());
  diagnostics.add({{"f", 3, 1}, "", "third", ""});
  diagnostics.add({{"f", 1, 9}, "", "second", ""});
  diagnostics.add({{"f", 1, 2}, "", "first", ""});
  try {
    diagnostics.throw_if_any();
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f:1:2: first\nf:1:9: second\nf:3:1: third");
    EXPECT_EQ(error.diagnostics().size(), 3U);
  }
}

TEST(Nearest, FindsAWordWithinTwoEditsOrAThirdOfItsLength) {
  const std::vector<std::string> known = {"tensor", "pipeline", "megatron-core"};
  EXPECT_EQ(nearest("tensr", known), "tensor");
  EXPECT_EQ(nearest("tesnor", known), "tensor");
  EXPECT_EQ(nearest("TENSOR", known), "tensor");
  EXPECT_EQ(nearest("megatroncoer", known), "megatron-core");
  EXPECT_EQ(nearest("tensorxyz", known), "tensor");
  EXPECT_EQ(nearest("expert", known), "");
  EXPECT_EQ(nearest("", known), "");
}

TEST(Nearest, OffersNoShortWordThatHasNothingInCommon) { EXPECT_EQ(nearest("xy", {"ab", "cd"}), ""); }

TEST(Utf8, KnowsWhatIsWellFormed) {
  EXPECT_EQ(utf8_sequence_length("a", 0), 1U);
  EXPECT_EQ(utf8_sequence_length("ü", 0), 2U);
  EXPECT_EQ(utf8_sequence_length("€", 0), 3U);
  EXPECT_EQ(utf8_sequence_length("\xF0\x9F\x98\x80", 0), 4U);
  EXPECT_EQ(utf8_sequence_length("\xF4\x8F\xBF\xBF", 0), 4U);
}

TEST(Utf8, RefusesOverlongFormsSurrogatesStrayAndMissingBytes) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xE2\x82", "\xFF"}) {
    EXPECT_EQ(utf8_sequence_length(text, 0), 0U) << escaped(text);
  }
}

TEST(Utf8, CountsCharacters) { EXPECT_EQ(utf8_length("aü€\xFF"), 4U); }

}  // namespace
}  // namespace trainsim
