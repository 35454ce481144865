#include <gmock/gmock.h>

#include <string>

#include "tests/cli/command_line.hpp"

namespace trainsim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

TEST_F(CommandLine, CheckSaysThatAScenarioIsValidAndWhatItIs) {
  const Outcome outcome = trainsim({"check", "tiny.yaml"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("tiny.yaml: ok\ntiny: "));
  EXPECT_THAT(outcome.out, HasSubstr("tensor 2, pipeline 1, data 1"));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(CommandLine, TheResolvedScenarioIsAScenarioThatResolvesToItself) {
  const Outcome first = trainsim({"check", "tiny.yaml", "--print"});
  ASSERT_EQ(first.status, 0) << first.err;
  write("resolved.yaml", first.out);
  const Outcome second = trainsim({"check", "resolved.yaml", "--print"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
}

TEST_F(CommandLine, OverridesApplyInOrder) {
  const Outcome outcome =
      trainsim({"check", "tiny.yaml", "--set", "parallelism.tensor=4", "--set", "parallelism.tensor=1", "--print"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tensor: 1\n"));
}

TEST_F(CommandLine, WrongOverridesAreInputErrors) {
  for (const char* assignment : {"parallelism.tensor=two", "parallelism.tensr=2", "parallelism.tensor", "=3", "name=[",
                                 "training.global_batch_size=0"}) {
    const Outcome outcome = trainsim({"check", "tiny.yaml", "--set", assignment});
    EXPECT_EQ(outcome.status, 2) << assignment;
    EXPECT_THAT(outcome.out, IsEmpty()) << assignment;
    EXPECT_THAT(outcome.err, HasSubstr("--set")) << assignment;
  }
}

TEST_F(CommandLine, AllFaultsOfAFileAreReportedEachOnALineWithItsPlace) {
  std::string scenario = read("tiny.yaml");
  scenario.replace(scenario.find("tensor: 2"), 9, "tensor: -2");
  write("wrong.yaml", scenario + "colour: blue\n");
  const Outcome outcome = trainsim({"check", "wrong.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("wrong.yaml:6:23: parallelism.tensor: "));
  EXPECT_THAT(outcome.err, HasSubstr("wrong.yaml:8:1: colour: "));
  EXPECT_THAT(outcome.err, MatchesRegex("(wrong\\.yaml:[0-9]+:[0-9]+: [^\n]+\n){2}"));
}

TEST_F(CommandLine, WhatCannotBeReadIsNamed) {
  for (const char* file : {"missing.yaml", ".", "/dev/null"}) {
    const Outcome outcome = trainsim({"check", file});
    EXPECT_EQ(outcome.status, 2) << file;
    EXPECT_THAT(outcome.out, IsEmpty()) << file;
    EXPECT_THAT(outcome.err, StartsWith(std::string(file) + ": ")) << file;
  }
}

}  // namespace
}  // namespace trainsim
