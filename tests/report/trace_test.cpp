#include "scenarios/report/trace.hpp"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace trainsim {
namespace {

using Json = nlohmann::json;

struct Play {
  Timeline timeline;
  Program program;
  TraceNames names;

  [[nodiscard]] Json trace() const {
    std::ostringstream out;
    write_trace(out, {timeline, program, names});
    return Json::parse(out.str());
  }
};

Span work(double start_s, double end_s, std::uint32_t actor, std::uint32_t step) {
  Span span;
  span.start_s = start_s;
  span.end_s = end_s;
  span.actor = actor;
  span.step = step;
  span.micro_batch = 0;
  return span;
}

Span transfer(double start_s, double end_s, std::uint32_t step) {
  Span span = work(start_s, end_s, 0, step);
  span.is_transfer = true;
  return span;
}

// Two rank classes, one communicator; step 0 warms up, steps 1 and 2 are measured.
Play two_steps() {
  Play play;
  play.program.works = {{"layer \"forward\"", Activity::forward, {}}};
  play.program.collectives = {{"tensor all-reduce", CollectiveKind::all_reduce, Group::tensor, 4096.0}};
  play.program.stages.resize(1);
  Op op;
  op.kind = Op::Kind::collective;
  play.program.stages[0].ops[static_cast<std::size_t>(Stream::tensor_comm)] = {op};
  play.names = {{"stage 0", "stage 1"}, {"tensor"}, {"nvlink"}, {128.0, 128.0}, {{0, 1}}};
  for (std::uint32_t step = 0; step < 3; ++step) {
    const double start = 0.001 * step;
    play.timeline.spans.push_back(work(start, start + 0.0004, 0, step));
    play.timeline.spans.push_back(work(start, start + 0.0005, 1, step));
    play.timeline.spans.push_back(transfer(start + 0.0005, start + 0.0009, step));
    play.timeline.step_ends_s.push_back(start + 0.001);
  }
  play.timeline.loads = {{{50.0, 300000.0, 0.0}}, {{100.0, 300000.0, 0.0005}}, {{200.0, 300000.0, 0.0005}}};
  play.timeline.last_measured_step = 2;
  return play;
}

std::map<std::pair<int, int>, std::vector<Json>> slices_by_track(const Json& trace) {
  std::map<std::pair<int, int>, std::vector<Json>> tracks;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") tracks[{event["pid"], event["tid"]}].push_back(event);
  }
  return tracks;
}

std::vector<std::string> names_of(const Json& trace, const std::string& metadata) {
  std::vector<std::string> names;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == metadata) names.push_back(event["args"]["name"]);
  }
  return names;
}

void expect_no_overlap(const Json& trace) {
  for (const auto& [track, slices] : slices_by_track(trace)) {
    double end_us = 0.0;
    for (const Json& slice : slices) {
      EXPECT_GE(slice["ts"].get<double>(), end_us - 1e-6) << slice;
      EXPECT_GE(slice["dur"].get<double>(), 0.0) << slice;
      end_us = slice["ts"].get<double>() + slice["dur"].get<double>();
    }
  }
}

TEST(Trace, HasAProcessPerRankClassAndTracksPerStreamCommunicatorAndLink) {
  const Json trace = two_steps().trace();
  EXPECT_THAT(names_of(trace, "process_name"),
              testing::ElementsAre("steps", "stage 0 x128", "stage 1 x128", "communicators", "links"));
  EXPECT_THAT(names_of(trace, "thread_name"), testing::ElementsAre("measured steps", "compute", "tensor-comm",
                                                                   "compute", "tensor-comm", "tensor", "nvlink"));
}

TEST(Trace, EventsOfATrackFollowEachOtherInTime) { expect_no_overlap(two_steps().trace()); }

TEST(Trace, TimesAreMicrosecondsOfTheMeasuredStepsOnly) {
  const auto tracks = slices_by_track(two_steps().trace());
  const std::vector<Json>& compute = tracks.at({2, 1});
  ASSERT_EQ(compute.size(), 2U);
  EXPECT_EQ(compute[0]["name"], "layer \"forward\"");
  EXPECT_EQ(compute[0]["cat"], "forward");
  EXPECT_DOUBLE_EQ(compute[0]["ts"].get<double>(), 1000.0);
  EXPECT_DOUBLE_EQ(compute[0]["dur"].get<double>(), 400.0);
  EXPECT_EQ(compute[0]["args"]["step"], 1);
  const std::vector<Json>& communicator = tracks.at({4, 1});
  ASSERT_EQ(communicator.size(), 2U);
  EXPECT_EQ(communicator[0]["args"]["bytes"], 4096);
}

TEST(Trace, WhatBelongsToTheStepAsAWholeHasNoMicroBatch) {
  Play play = two_steps();
  play.timeline.spans[3].micro_batch = -1;
  const auto tracks = slices_by_track(play.trace());
  EXPECT_EQ(tracks.at({2, 1})[0]["args"], Json({{"step", 1}}));
  EXPECT_EQ(tracks.at({2, 1})[1]["args"], Json({{"step", 2}, {"micro_batch", 0}, {"chunk", 0}}));
}

TEST(Trace, AnOverlappingSliceMovesToAnotherTrackOfThatName) {
  Play play = two_steps();
  play.timeline.spans.push_back(transfer(0.0016, 0.0018, 1));
  const Json trace = play.trace();
  expect_no_overlap(trace);
  EXPECT_EQ(slices_by_track(trace).at({4, 2}).size(), 1U);
}

TEST(Trace, LoadOfALinkIsShownStepByStep) {
  const auto tracks = slices_by_track(two_steps().trace());
  const std::vector<Json>& link = tracks.at({5, 1});
  ASSERT_EQ(link.size(), 2U);
  EXPECT_NEAR(link[0]["args"]["mean_bytes_per_s"].get<double>(), 100.0 / 0.001, 1e-6);
  EXPECT_EQ(link[0]["args"]["peak_bytes_per_s"], 300000);
}

TEST(Trace, WhatFollowsTheLastMeasuredStepIsLeftOut) {
  Play play = two_steps();
  play.timeline.last_measured_step = 1;
  const auto tracks = slices_by_track(play.trace());
  EXPECT_EQ(tracks.at({1, 1}).size(), 1U);
  EXPECT_EQ(tracks.at({2, 1}).size(), 1U);
}

TEST(Trace, WithoutMembersTransfersAppearAmongTheCommunicatorsOnly) {
  Play play = two_steps();
  play.names.members.clear();
  EXPECT_THAT(names_of(play.trace(), "thread_name"),
              testing::ElementsAre("measured steps", "compute", "compute", "tensor", "nvlink"));
}

TEST(Trace, OfAnEmptyTimelineIsStillATrace) {
  const Json trace = Play{}.trace();
  EXPECT_THAT(names_of(trace, "process_name"), testing::ElementsAre("steps", "communicators", "links"));
  EXPECT_TRUE(slices_by_track(trace).empty());
}

TEST(Trace, NamesThatDoNotMatchTheTimelineAreRefused) {
  Play play = two_steps();
  play.names.rank_classes.pop_back();
  EXPECT_THROW(play.trace(), std::invalid_argument);
}

}  // namespace
}  // namespace trainsim
