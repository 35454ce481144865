#include <gmock/gmock.h>

#include <map>
#include <string>

#include "tests/cli/command_line.hpp"

namespace trainsim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(CommandLine, EveryKindOfNameIsListed) {
  const std::map<std::string, std::string> expected = {{"models", "gpt3-175b"},      {"nodes", "hgx-a100-80g"},
                                                       {"accelerators", "h100-sxm"}, {"stacks", "megatron-core"},
                                                       {"topologies", "leaf-spine"}, {"schedules", "1f1b"},
                                                       {"collectives", "ring"}};
  for (const auto& [kind, name] : expected) {
    const Outcome outcome = trainsim({"list", kind});
    EXPECT_EQ(outcome.status, 0) << kind;
    EXPECT_THAT(outcome.out, testing::ContainsRegex("(^|\n)" + name + "( |\n)")) << kind;
    EXPECT_THAT(outcome.err, IsEmpty()) << kind;
  }
}

TEST_F(CommandLine, NamesOfLaterFeaturesSaySo) {
  EXPECT_THAT(trainsim({"list", "models"}).out, testing::ContainsRegex("resnet-50 +not supported yet\n"));
}

TEST_F(CommandLine, ShowPrintsCatalogEntriesWithTheirSources) {
  for (const char* name : {"hgx-a100-80g", "h100-sxm", "megatron-core", "gpt3-175b"}) {
    const Outcome outcome = trainsim({"show", name});
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_THAT(outcome.out, testing::StartsWith(std::string(name) + "\n")) << name;
  }
  EXPECT_THAT(trainsim({"show", "h100-sxm"}).out, HasSubstr("source"));
}

TEST_F(CommandLine, ShowPrintsTheScenarioAsItResolves) {
  const Outcome outcome = trainsim({"show", "tiny.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"PLAN", "PLACEMENT", "2 ranks: 0 on node0.gpu0, 1 on node0.gpu1", "MEMORY", "MACHINE", "LINKS", "node*.gpu*"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(CommandLine, AnUnknownNameIsAnsweredWithTheNearest) {
  const Outcome outcome = trainsim({"show", "hgx-a100-80"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean hgx-a100-80g?"));
}

}  // namespace
}  // namespace trainsim
