#include "simulator/input/sourced_section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Reads the figure `share` of the section `part` of a text; keeps what was noted.
struct Reading {
  explicit Reading(const std::string& text) {
    const Document document = parse_document(text, "part.yaml");
    Diagnostics diagnostics;
    ReadContext context{document.file, diagnostics};
    MapReader file(document.root, "", context);
    SourcedSection section(file, "part");
    share = section.number("share");
    section.finish();
    estimated = section.estimated();
    sources = section.sources();
    for (const Diagnostic& fault : diagnostics.all()) faults += fault.text() + "\n";
  }
  double share = 0.0;
  std::vector<std::string> estimated;
  std::vector<std::string> sources;
  std::string faults;
};

TEST(SourcedSection, FigureTakesTheOriginOfItsSection) {
  const Reading reading("part:\n  source: a paper\n  share: 0.5\n");
  EXPECT_EQ(reading.share, 0.5);
  EXPECT_THAT(reading.sources, ElementsAre("a paper"));
  EXPECT_THAT(reading.estimated, IsEmpty());
  EXPECT_EQ(reading.faults, "");
}

TEST(SourcedSection, EstimateIsNotedByItsKey) {
  EXPECT_THAT(Reading("part:\n  estimated: true\n  share: 0.5\n").estimated, ElementsAre("part.share"));
  EXPECT_THAT(Reading("part:\n  source: a paper\n  share: {value: 0.5, estimated: true}\n").estimated,
              ElementsAre("part.share"));
}

TEST(SourcedSection, FigureWithItsOwnSourceNeedsNoneOfItsSection) {
  const Reading reading("part:\n  share: {value: 0.5, source: a table}\n");
  EXPECT_THAT(reading.sources, ElementsAre("a table"));
  EXPECT_EQ(reading.faults, "");
}

TEST(SourcedSection, FigureWithoutAnyOriginIsAFault) {
  EXPECT_THAT(Reading("part:\n  share: 0.5\n").faults, HasSubstr("part.yaml:2"));
  EXPECT_THAT(Reading("part:\n  share: {value: 0.5}\n").faults, HasSubstr("origin"));
  EXPECT_THAT(Reading("part:\n  share: {value: 0.5, source: x, estimated: true}\n").faults, HasSubstr("origin"));
}

TEST(SourcedSection, AbsentFigureIsAFaultAndNoDefault) {
  EXPECT_THAT(Reading("part:\n  source: a paper\n").faults, HasSubstr("part.share"));
}

TEST(SourcedSection, UnknownKeyIsAFault) {
  EXPECT_THAT(Reading("part:\n  source: a paper\n  share: 0.5\n  shard: 0.5\n").faults, HasSubstr("shard"));
}

}  // namespace
}  // namespace trainsim
