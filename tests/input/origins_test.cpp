#include "simulator/input/origins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Split {
  explicit Split(const std::string& text, OriginRules rules = {}) {
    const Document document = parse_document(text, "node.yaml");
    Diagnostics diagnostics;
    ReadContext context{document.file, diagnostics};
    auto [plain, found] = split_origins(document.root, "node", context, rules);
    figures = std::move(plain);
    origins = std::move(found);
    for (const Diagnostic& fault : diagnostics.all()) faults += fault.text() + "\n";
  }
  Node figures;
  Origins origins;
  std::string faults;
};

TEST(Origins, FiguresAreLeftAsIfNothingWereSaid) {
  const Split split("source: a\npower: {value: 700W, estimated: true}\npcie: {source: b, lanes: 16}\n");
  EXPECT_EQ(split.faults, "");
  EXPECT_EQ(split.figures.find("source"), nullptr);
  EXPECT_EQ(split.figures.find("power")->scalar, "700W");
  EXPECT_EQ(split.figures.find("power")->line, 2);
  EXPECT_EQ(split.figures.find("pcie")->find("source"), nullptr);
  EXPECT_EQ(split.figures.find("pcie")->find("lanes")->scalar, "16");
}

TEST(Origins, ANestedMapAndAFigureNameTheirOwn) {
  const Split split("power: {value: 1W, source: c}\npcie: {source: b, lanes: 16}\nsource: a\n");
  EXPECT_EQ(split.origins.source_text(), "a; power: c; pcie: b");
}

TEST(Origins, AnEstimateIsOfAFigureAndOfAllInAMap) {
  const Split split(
      "source: a\nnics: {estimated: true, count: 2, rails: [0, 1]}\n"
      "pcie: {lanes: 16, latency: {value: 1us, estimated: true}}\n");
  EXPECT_THAT(split.origins.estimated, ElementsAre("nics.count", "nics.rails", "pcie.latency"));
}

TEST(Origins, TheNearestOneCounts) {
  const Split split("estimated: true\npower: {value: 1W, source: a}\npcie: {source: b, lanes: 16}\ngpus: 8\n");
  EXPECT_THAT(split.origins.estimated, ElementsAre("gpus"));
}

TEST(Origins, AnEstimateCanSayWhatItRestsOn) {
  const Split split("memory: {value: 1GiB, estimated: less what the driver keeps}\n");
  EXPECT_THAT(split.origins.estimated, ElementsAre("memory"));
  EXPECT_EQ(split.origins.source_text(), "memory: less what the driver keeps");
}

TEST(Origins, AreOptionalUnlessRequired) {
  EXPECT_EQ(Split("power: 1W\n").faults, "");
  EXPECT_THAT(Split("power: 1W\n", {.is_required = true}).faults, HasSubstr("node.power: has no origin"));
  EXPECT_THAT(Split("power: {value: 1W}\n").faults, HasSubstr("needs an origin"));
}

TEST(Origins, TwoAreAFaultAndSoIsAnUnknownKey) {
  EXPECT_THAT(Split("source: a\nestimated: true\n").faults, HasSubstr("node.estimated"));
  EXPECT_THAT(Split("power: {value: 1W, source: a, estimated: true}\n").faults, HasSubstr("node.power.estimated"));
  EXPECT_THAT(Split("power: {value: 1W, sauce: a, estimated: true}\n").faults, HasSubstr("sauce"));
  EXPECT_THAT(Split("estimated: [power]\n").faults, HasSubstr("node.estimated"));
}

TEST(Origins, APartThatKeepsItsOwnIsLeftAsWritten) {
  const Split split("estimated: true\nchip: {source: a, peak: 1}\n", {.apart = "chip"});
  EXPECT_EQ(split.figures.find("chip")->find("source")->scalar, "a");
  EXPECT_THAT(split.origins.estimated, IsEmpty());
  EXPECT_THAT(split.origins.sources, IsEmpty());
}

TEST(Origins, AChangedFigureHasItsNewOrigin) {
  std::string source = "a";
  std::vector<std::string> estimated = {"pcie.latency", "power"};
  const Split split("power: 1W\ngpus: {value: 8, estimated: true}\npcie: {source: b, lanes: 16}\n");
  update_origins({split.figures, split.origins}, source, estimated);
  EXPECT_EQ(source, "a; pcie: b");
  EXPECT_THAT(estimated, ElementsAre("pcie.latency", "gpus"));

  const Split whole("source: c\npcie: {latency: 1us}\n");
  update_origins({whole.figures, whole.origins}, source, estimated);
  EXPECT_EQ(source, "c");
  EXPECT_THAT(estimated, ElementsAre("gpus"));
}

}  // namespace
}  // namespace trainsim
