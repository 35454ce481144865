#include <gmock/gmock.h>

#include "tests/cli/command_line.hpp"

namespace trainsim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(CommandLine, VersionIsOneLineOnStandardOutput) {
  const Outcome outcome = trainsim({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "trainsim 0.1.0 (scenario format 1, SimGrid 3.32)\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(CommandLine, HelpGoesToStandardOutput) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"check", "--help"},
                                                    {"list", "--help"},
                                                    {"show", "--help"}}) {
    const Outcome outcome = trainsim(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Usage"));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST_F(CommandLine, WrongOptionsEndWithTwoAndSaySoOnStandardError) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"fly"},
                                                    {"run"},
                                                    {"run", "tiny.yaml", "--fold-more"},
                                                    {"run", "tiny.yaml", "--seed", "x"},
                                                    {"run", "tiny.yaml", "--max-events", "0"},
                                                    {"run", "tiny.yaml", "--format", "xml"},
                                                    {"run", "tiny.yaml", "-q", "-v"},
                                                    {"run", "tiny.yaml", "--json", "-", "--trace", "-"},
                                                    {"list"},
                                                    {"list", "colours"},
                                                    {"show"},
                                                    {"check"}}) {
    const Outcome outcome = trainsim(arguments);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.out, IsEmpty()) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.err, testing::Not(IsEmpty())) << testing::PrintToString(arguments);
  }
}

TEST_F(CommandLine, AFullDeviceIsAResultThatCouldNotBeWritten) {
  const Outcome outcome = trainsim({"--version"}, "/dev/full");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("standard output: cannot write: No space left on device"));
}

}  // namespace
}  // namespace trainsim
