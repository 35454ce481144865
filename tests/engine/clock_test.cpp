// Does SimGrid do what we configured? One test per trap of SimGrid 3.32 that the Clock must avoid.
#include "simulator/engine/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace trainsim {
namespace {

using ::testing::DoubleNear;

struct Flow {
  std::uint32_t route = 0;
  double bytes = 0.0;
  double start_s = 0.0;
};

// Plays the flows and returns when each ended.
std::vector<double> play_flows(const std::vector<double>& capacities, const std::vector<FlowRoute>& routes,
                               const std::vector<Flow>& flows) {
  Clock clock(capacities, routes, 1e12);
  std::vector<double> ends(flows.size(), -1.0);
  for (std::uint32_t i = 0; i < flows.size(); ++i) clock.at(flows[i].start_s, {1, i});
  clock.run(
      [&](Clock::Event event) {
        if (event.kind == 1) {
          clock.start_flow(flows[event.index].route, flows[event.index].bytes, {2, event.index});
        } else {
          ends[event.index] = clock.now_s();
        }
      },
      [](double) {});
  return ends;
}

MATCHER_P(IsTime, seconds, "") { return ::testing::Value(arg, DoubleNear(seconds, 1e-12 * seconds)); }

TEST(Clock, OneFlowTakesItsBytesOverTheBandwidth) {  // LV08 would scale bandwidth by 0.97
  EXPECT_THAT(play_flows({100e9, 1e12}, {{{0, 1}, {1, 1}}}, {{0, 1e9, 0.0}}), ::testing::ElementsAre(IsTime(0.01)));
}

TEST(Clock, LatencyIsWhatTheCallerWaitsBeforeTheFlow) {
  EXPECT_THAT(play_flows({100e9}, {{{0, 1}}}, {{0, 1e9, 2e-6}}), ::testing::ElementsAre(IsTime(0.010002)));
}

TEST(Clock, TwoEqualFlowsGetHalfEach) {
  EXPECT_THAT(play_flows({100e9}, {{{0, 1}}, {{0, 1}}}, {{0, 1e9, 0.0}, {1, 1e9, 0.0}}),
              ::testing::ElementsAre(IsTime(0.02), IsTime(0.02)));
}

TEST(Clock, AFlowThatStartsLaterIsNotPunishedForIt) {  // no RTT unfairness: both run at half while both run
  const auto ends = play_flows({100e9}, {{{0, 1}}, {{0, 1}}}, {{0, 1e9, 2e-6}, {1, 1e9, 10e-6}});
  EXPECT_NEAR(ends[0], 0.019994, 1e-12);
  EXPECT_NEAR(ends[1], 0.020002, 1e-12);
}

TEST(Clock, TheReverseDirectionTakesNothing) {  // no cross traffic: a flow and its mirror do not meet
  EXPECT_THAT(play_flows({100e9, 100e9}, {{{0, 1}}, {{1, 1}}}, {{0, 1e9, 0.0}, {1, 1e9, 0.0}}),
              ::testing::ElementsAre(IsTime(0.01), IsTime(0.01)));
}

TEST(Clock, NoTcpWindowCapsALongFlow) {
  EXPECT_THAT(play_flows({400e9}, {{{0, 1}}}, {{0, 4e11, 0.01}}), ::testing::ElementsAre(IsTime(1.01)));
}

TEST(Clock, ALinkThatStandsTwiceInARouteCountsTwice) {
  EXPECT_THAT(play_flows({10e9}, {{{0, 1}}, {{0, 2}}}, {{0, 1e9, 0.0}, {1, 1e9, 0.0}}),
              ::testing::ElementsAre(IsTime(0.3), IsTime(0.3)));
}

TEST(Clock, AnUnrelatedFlowChangesNothing) {  // surf/precision of 1e-9 s would let it
  std::vector<Flow> flows;
  std::vector<FlowRoute> routes;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    routes.push_back({{0, 1}});
    routes.push_back({{1, 1}});
    flows.push_back({2 * i, 1e6, 1.1e-5 * i});
    flows.push_back({2 * i + 1, 1e6 + 40, 1.1e-5 * i});
  }
  const auto ends = play_flows({100e9, 100e9}, routes, flows);
  EXPECT_THAT(ends[3998], IsTime(1.1e-5 * 1999 + 1e-5));
  EXPECT_THAT(ends[3999], IsTime(1.1e-5 * 1999 + 1.0000400e-5));
}

TEST(Clock, FractionsOfAByteCount) {  // set_payload_size truncates; the Clock scales
  const auto ends = play_flows({1e6}, {{{0, 1}}}, {{0, 1000.5, 0.0}});
  EXPECT_NEAR(ends[0], 1000.5e-6, 1e-12);
}

TEST(Clock, TheSlowerLinkBindsAndTheOthersRestIsFree) {
  // One flow over both links, one over the first: max-min gives the first 10 GB/s, the second 90.
  const auto ends = play_flows({100e9, 10e9}, {{{0, 1}, {1, 1}}, {{0, 1}}}, {{0, 1e9, 0.0}, {1, 9e9, 0.0}});
  EXPECT_THAT(ends, ::testing::ElementsAre(IsTime(0.1), IsTime(0.1)));
}

TEST(Clock, ACapacityThatChangesMidwayIsFelt) {
  Clock clock({100e9}, {{{0, 1}}}, 1e10);
  double end = 0.0;
  clock.at(0.0, {1, 0});
  clock.at(0.05, {2, 0});
  clock.run(
      [&](Clock::Event event) {
        if (event.kind == 1) clock.start_flow(0, 10e9, {3, 0});
        if (event.kind == 2) clock.set_capacity(0, 50e9);
        if (event.kind == 3) end = clock.now_s();
      },
      [](double) {});
  EXPECT_NEAR(end, 0.15, 1e-12);
}

TEST(Clock, AChangedCapacityIsSharedPerConnectionAsBefore) {  // weight-S would now favour the longer route
  Clock clock({100e9, 1e12}, {{{0, 1}}, {{0, 1}, {1, 1}}}, 1e10);
  std::vector<double> ends(2);
  clock.at(0.0, {1, 0});
  clock.at(0.0, {1, 1});
  clock.at(0.1, {2, 0});
  clock.run(
      [&](Clock::Event event) {
        if (event.kind == 1) clock.start_flow(event.index, 10e9, {3, event.index});
        if (event.kind == 2) clock.set_capacity(0, 50e9);
        if (event.kind == 3) ends[event.index] = clock.now_s();
      },
      [](double) {});
  EXPECT_NEAR(ends[0], 0.3, 1e-12);
  EXPECT_NEAR(ends[1], 0.3, 1e-12);
}

TEST(Clock, AFlowThatStartsOnALowCapacitySpeedsUpWhenItRises) {  // SimGrid would bound it for good
  Clock clock({100e9}, {{{0, 1}}}, 1e10);
  double end = 0.0;
  clock.at(0.0, {2, 50});
  clock.at(0.0, {1, 0});
  clock.at(0.1, {2, 100});
  clock.run(
      [&](Clock::Event event) {
        if (event.kind == 1) clock.start_flow(0, 10e9, {3, 0});
        if (event.kind == 2) clock.set_capacity(0, event.index * 1e9);
        if (event.kind == 3) end = clock.now_s();
      },
      [](double) {});
  EXPECT_NEAR(end, 0.15, 1e-12);
}

TEST(Clock, TimersFireInOrderAtTheirTime) {
  Clock clock({}, {}, 1.0);
  std::vector<double> times;
  for (const double at : {3e-6, 1e-6, 2e-6}) clock.at(at, {0, 0});
  clock.run([&](Clock::Event) { times.push_back(clock.now_s()); }, [](double) {});
  EXPECT_THAT(times, ::testing::ElementsAre(IsTime(1e-6), IsTime(2e-6), IsTime(3e-6)));
}

TEST(Clock, WhatRemainsFallsWithTime) {
  Clock clock({100e9}, {{{0, 1}}}, 1e10);
  double remaining = 0.0;
  clock.at(0.0, {1, 0});
  clock.at(0.025, {2, 0});
  clock.run(
      [&](Clock::Event event) {
        if (event.kind == 1) clock.start_flow(0, 10e9, {3, 0});
        if (event.kind == 2) remaining = clock.remaining_bytes(0);
      },
      [](double) {});
  EXPECT_NEAR(remaining, 7.5e9, 1.0);
}

TEST(Clock, ASecondOneInTheProcessIsRefused) {
  const Clock first({}, {}, 1.0);
  EXPECT_THROW(Clock({}, {}, 1.0), std::logic_error);
}

}  // namespace
}  // namespace trainsim
