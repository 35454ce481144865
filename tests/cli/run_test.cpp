#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_line.hpp"

namespace trainsim {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(CommandLine, RunPrintsTheTableOnStandardOutputAndTheTimeItTookOnStandardError) {
  const Outcome outcome = trainsim({"run", "tiny.yaml"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("tiny\n"));
  EXPECT_THAT(outcome.out, HasSubstr("FITS"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(outcome.err, HasSubstr("trainsim: played "));
  EXPECT_THAT(files(), ElementsAre("tiny.yaml"));
}

TEST_F(CommandLine, JsonOnStandardOutputIsNothingButJson) {
  const Outcome by_path = trainsim({"run", "tiny.yaml", "--json", "-"});
  EXPECT_EQ(by_path.status, 0);
  const Json json = Json::parse(by_path.out);
  EXPECT_EQ(json["scenario"], "tiny");
  EXPECT_EQ(json["cluster"]["gpus"], 2);
  EXPECT_EQ(trainsim({"run", "tiny.yaml", "--format", "json"}).out, by_path.out);
}

TEST_F(CommandLine, PartsOfTheGpuTimeSumToOne) {
  const Json json = Json::parse(trainsim({"run", "tiny.yaml", "--json", "-"}).out);
  double sum = 0.0;
  for (const auto& [name, share] : json["gpu_time"].items()) sum += share.get<double>();
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST_F(CommandLine, QuietRunWritesItsFilesAndSaysNothing) {
  const Outcome outcome =
      trainsim({"run", "tiny.yaml", "-q", "--json", "r.json", "--trace", "t.json", "--timings", "time.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(files(), ElementsAre("r.json", "t.json", "time.json", "tiny.yaml"));
  EXPECT_GT(Json::parse(read("r.json"))["step"]["time_s"].get<double>(), 0.0);
  EXPECT_GT(Json::parse(read("t.json"))["traceEvents"].size(), 10U);
  const Json timings = Json::parse(read("time.json"));
  EXPECT_GT(timings["wall_s"].get<double>(), 0.0);
  EXPECT_GT(timings["events"].get<double>(), 0.0);
  EXPECT_GT(timings["peak_rss_bytes"].get<double>(), 1e6);
}

TEST_F(CommandLine, TheResolvedScenarioOfAResultGivesTheSameResult) {
  ASSERT_EQ(trainsim({"run", "tiny.yaml", "-q", "--json", "a.json", "--seed", "7", "--steps", "2"}).status, 0);
  const Json first = Json::parse(read("a.json"));
  EXPECT_EQ(first["resolved"]["simulation"]["seed"], 7);
  EXPECT_EQ(first["step"]["measured_steps"], 2);
  write("resolved.json", nlohmann::ordered_json::parse(read("a.json"))["resolved"].dump());
  ASSERT_EQ(trainsim({"run", "resolved.json", "-q", "--json", "b.json"}).status, 0);
  EXPECT_EQ(read("a.json"), read("b.json"));
}

TEST_F(CommandLine, WithoutFoldingTheStepIsTheSame) {
  const Json folded = Json::parse(trainsim({"run", "tiny.yaml", "--json", "-"}).out);
  const Json unfolded = Json::parse(trainsim({"run", "tiny.yaml", "--no-fold", "--json", "-"}).out);
  EXPECT_EQ(unfolded["simulation"]["rank_classes"], 2);
  EXPECT_LT(folded["simulation"]["rank_classes"], 2);
  const double step_s = folded["step"]["time_s"];
  EXPECT_NEAR(unfolded["step"]["time_s"].get<double>(), step_s, 1e-9 * step_s);
}

TEST_F(CommandLine, APlanThatDoesNotFitIsPlayedAndEndsWithOne) {
  const Outcome outcome = trainsim({"run", "tiny.yaml", "--set",
                                    "cluster.node={base: hgx-a100-80g, accelerator: {base: "
                                    "a100-sxm-80g, memory: 1MB}}",
                                    "--json", "r.json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("DOES NOT FIT"));
  const Json json = Json::parse(read("r.json"));
  EXPECT_FALSE(json["memory"]["fits"].get<bool>());
  EXPECT_GT(json["step"]["time_s"].get<double>(), 0.0);
}

TEST_F(CommandLine, AResultThatCannotBeWrittenEndsWithThree) {
  write("file", "");
  for (const char* path : {"missing/r.json", ".", "file/r.json", "/dev/full"}) {
    for (const char* option : {"--json", "--trace", "--timings"}) {
      const Outcome outcome = trainsim({"run", "tiny.yaml", option, path});
      EXPECT_EQ(outcome.status, 3) << option << ' ' << path;
      EXPECT_THAT(outcome.out, IsEmpty()) << option << ' ' << path;
      EXPECT_THAT(outcome.err, HasSubstr(std::string(path) + ": cannot write: ")) << option << ' ' << path;
    }
  }
  EXPECT_THAT(files(), ElementsAre("file", "tiny.yaml"));
}

TEST_F(CommandLine, WrongInputLeavesAnEarlierResultAsItWas) {
  write("r.json", "earlier");
  EXPECT_EQ(trainsim({"run", "tiny.yaml", "--set", "parallelism.tensor=3", "--json", "r.json"}).status, 2);
  EXPECT_EQ(read("r.json"), "earlier");
  EXPECT_THAT(files(), ElementsAre("r.json", "tiny.yaml"));
}

TEST_F(CommandLine, APlayBeyondMaxEventsIsRefusedWithTheEstimate) {
  const Outcome outcome = trainsim({"run", "tiny.yaml", "--max-events", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("--max-events"));
}

// One bucket per byte, or every rank of a large cluster, would fill the memory before the play could be counted.
TEST_F(CommandLine, AProgramBeyondMaxEventsIsRefusedBeforeItIsBuilt) {
  for (const char* override_text : {"parallelism.overlap.bucket=1B", "training.global_batch_size=200000"}) {
    const Outcome outcome =
        trainsim({"run", "tiny.yaml", "--max-events", "100000", "--set", "cluster.gpus=4", "--set", override_text});
    EXPECT_EQ(outcome.status, 2) << override_text;
    EXPECT_THAT(outcome.err, HasSubstr("the play would take at least ")) << override_text;
  }
}

// What --max-events bounds is what a run reports to have played.
TEST_F(CommandLine, APlayOfAsManyEventsAsAllowedRuns) {
  ASSERT_EQ(trainsim({"run", "tiny.yaml", "-q", "--timings", "time.json"}).status, 0);
  const auto events = Json::parse(read("time.json"))["events"].get<std::uint64_t>();
  EXPECT_EQ(trainsim({"run", "tiny.yaml", "--max-events", std::to_string(events)}).status, 0);
  EXPECT_EQ(trainsim({"run", "tiny.yaml", "--max-events", std::to_string(events - 1)}).status, 2);
}

TEST_F(CommandLine, ASeedBeyondItsRangeIsRefusedLikeInTheFile) {
  const Outcome outcome = trainsim({"run", "tiny.yaml", "--seed", "18446744073709551616"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("simulation.seed: '18446744073709551616' is out of range"));
}

TEST_F(CommandLine, NoOutputReplacesTheScenarioOrAnotherOutput) {
  const std::string scenario = read("tiny.yaml");
  EXPECT_EQ(trainsim({"run", "tiny.yaml", "--json", "./tiny.yaml"}).status, 2);
  EXPECT_EQ(read("tiny.yaml"), scenario);
  const Outcome outcome = trainsim({"run", "tiny.yaml", "--json", "r.json", "--trace", "r.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("r.json: would be overwritten"));
  EXPECT_THAT(files(), ElementsAre("tiny.yaml"));
}

TEST_F(CommandLine, AnAlgorithmThatACommunicatorCannotUseIsRefusedWhereItIsWritten) {
  write("uneven.yaml", read("tiny.yaml") + "software: {collectives: {algorithm: hierarchical}}\n");
  // A stage of twelve GPUs is a node and a half.
  const Outcome outcome =
      trainsim({"run", "uneven.yaml", "--set", "cluster.gpus=24", "--set", "training.global_batch_size=12", "--set",
                "parallelism.tensor=1", "--set", "parallelism.pipeline=2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("uneven.yaml:8:37: software.collectives.algorithm: "));
}

TEST_F(CommandLine, TheProtocolOfTheScenarioSlowsWhatAutoWouldDoFaster) {
  const auto step_s = [this](const std::string& protocol) {
    write("one.yaml", read("tiny.yaml") + "software: {collectives: {protocol: " + protocol + "}}\n");
    EXPECT_EQ(trainsim({"run", "one.yaml", "--json", protocol + ".json"}).status, 0);
    return nlohmann::json::parse(read(protocol + ".json"))["step"]["time_s"].get<double>();
  };
  const double auto_s = step_s("auto");
  EXPECT_GT(step_s("LL"), auto_s);
  EXPECT_GE(step_s("LL128"), auto_s);
  EXPECT_GE(step_s("Simple"), auto_s);
}

TEST_F(CommandLine, AFullStandardOutputEndsWithThree) {
  EXPECT_EQ(trainsim({"run", "tiny.yaml"}, "/dev/full").status, 3);
}

}  // namespace
}  // namespace trainsim
