// Does the engine play programs as design and headers say? Small plays with times a reader can add up.
#include "simulator/engine/play.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/play_fixture.hpp"

namespace trainsim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Play play_of(const Program& program, const Network& network, std::vector<double> work_s) {
  Play play;
  play.program = program;
  play.work_s = std::move(work_s);
  play.quotient = unfolded(network);
  return play;
}

Network ranks_of(std::size_t count, std::size_t links = 0, double bytes_per_s = 1e9) {
  Network network;
  for (std::uint32_t r = 0; r < count; ++r) network.ranks.push_back({r, 1.0, no_slots()});
  network.links.assign(links, link_of(bytes_per_s));
  return network;
}

TEST(Play, OneRankTakesTheSumOfItsWorks) {
  ProgramSketch sketch(1);
  const auto a = sketch.work("a");
  const auto b = sketch.work("b");
  sketch.run(0, a);
  sketch.run(0, b);
  const Timeline timeline = play(play_of(sketch.program(), ranks_of(1), {0.25, 0.5}));
  EXPECT_DOUBLE_EQ(timeline.step_s(), 0.75);
  EXPECT_EQ(timeline.compute[0].size(), 6U);  // warm-up, one measured step, one that confirms it
}

// Two ranks compute for different times, then reduce 1 GB over a link of 1 GB/s; the next step waits for it.
Program two_ranks_that_reduce() {
  ProgramSketch sketch(2);
  const auto fast = sketch.work("fast");
  const auto slow = sketch.work("slow");
  const auto reduce = sketch.collective(CollectiveKind::all_reduce, Group::tensor, 1e9);
  for (const std::size_t stage : {0U, 1U}) {
    sketch.run(stage, stage == 0 ? fast : slow, {after(Stream::tensor_comm, 1, true)});
    sketch.communicate(stage, Stream::tensor_comm, reduce, {after(Stream::compute, 1)});
  }
  return sketch.program();
}

TEST(Play, ACollectiveStartsWhenItsLastMemberArrives) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 1);
  join(network, program, Group::tensor, {0, 1}, over({0}, 0.125));
  const Timeline timeline = play(play_of(program, network, {0.5, 2.0}));
  EXPECT_NEAR(timeline.step_s(), 2.0 + 0.125 + 1.0, 1e-12);
  const auto transfer = std::ranges::find_if(timeline.spans, &Span::is_transfer);
  EXPECT_NEAR(transfer->start_s, 2.0, 1e-12);
  EXPECT_EQ(timeline.spans[transfer->released_by].what, 1U);  // the slow work
}

TEST(Play, ASlowGpuTakesLongerByItsSlowdown) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 1);
  network.ranks[1].slowdown = 1.5;
  join(network, program, Group::tensor, {0, 1}, over({0}));
  EXPECT_NEAR(play(play_of(program, network, {0.5, 2.0})).step_s(), 4.0, 1e-12);
}

TEST(Play, PhasesFollowEachOtherAndPartsRunSideBySide) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 2);
  Transfer transfer = over({0});
  transfer.phases.push_back({{over({0}, 0.0, 0.5).phases[0].parts[0], over({1}, 0.25, 0.5).phases[0].parts[0]}});
  join(network, program, Group::tensor, {0, 1}, transfer);
  EXPECT_NEAR(play(play_of(program, network, {0.0, 0.0})).step_s(), 1.0 + 0.75, 1e-12);
}

// Stage 0 sends to stage 1, which computes on what it gets.
Program sender_and_receiver(bool sender_waits) {
  ProgramSketch sketch(2);
  const auto produce = sketch.work("produce");
  const auto consume = sketch.work("consume");
  const auto send = sketch.collective(CollectiveKind::send, Group::pipeline_forward, 1e9);
  sketch.run(0, produce);
  sketch.communicate(0, Stream::pipeline_forward, send, {after(Stream::compute, 1)});
  std::vector<Wait> waits;
  if (sender_waits) waits.push_back(after(Stream::pipeline_forward, 1));
  sketch.run(0, produce, waits);
  sketch.run(1, consume, {message(Group::pipeline_forward, 1)});
  return sketch.program();
}

TEST(Play, AReceiverStartsWhenTheMessageHasArrived) {
  const Program program = sender_and_receiver(false);
  Network network = ranks_of(2, 1);
  join(network, program, Group::pipeline_forward, {0, 1}, over({0}));
  const Timeline timeline = play(play_of(program, network, {1.0, 0.125}));
  EXPECT_NEAR(timeline.spans[timeline.compute[1][0]].start_s, 2.0, 1e-12);
  EXPECT_NEAR(timeline.step_s(), 2.0, 1e-12);  // the sender computes while its send is in flight
}

TEST(Play, ASenderThatWaitsForItsSendIsHeldUp) {
  const Program program = sender_and_receiver(true);
  Network network = ranks_of(2, 1);
  join(network, program, Group::pipeline_forward, {0, 1}, over({0}));
  EXPECT_NEAR(play(play_of(program, network, {1.0, 0.125})).step_s(), 3.0, 1e-12);
}

TEST(Play, APlayThatCannotGoOnSaysWhoWaitsOnWhom) {
  ProgramSketch sketch(1);
  const auto work = sketch.work("orphan");
  sketch.run(0, work, {message(Group::pipeline_forward, 1)});
  const Play stuck = play_of(sketch.program(), ranks_of(1), {1.0});
  EXPECT_THAT([&] { play(stuck); }, ThrowsMessage<Deadlock>(HasSubstr("'orphan' waits for message 1")));
}

TEST(Play, APlayThatTakesMoreEventsThanAllowedIsEnded) {
  ProgramSketch sketch(1);
  sketch.run(0, sketch.work("work"));
  Play long_one = play_of(sketch.program(), ranks_of(1), {1.0});
  long_one.rule.fixed_steps = 1000;
  long_one.max_events = 100;
  EXPECT_THAT([&] { play(long_one); }, ThrowsMessage<TooManyEvents>(HasSubstr("more than 100 events")));
}

TEST(Play, ASlowGpuDoesNotSlowItsHost) {
  ProgramSketch sketch(1);
  sketch.run(0, sketch.work("kernel"));
  sketch.run(0, sketch.work("host", Activity::host));
  Network network = ranks_of(1);
  network.ranks[0].slowdown = 2.0;
  EXPECT_DOUBLE_EQ(play(play_of(sketch.program(), network, {1.0, 0.5})).step_s(), 2.5);
}

TEST(Play, KernelsWaitForTheirLaunchAndTheHostRunsAhead) {
  // The host takes 1 s for each of two launches; the second kernel is launched while the first one runs.
  ProgramSketch sketch(1);
  const auto launches = sketch.work("launches", Activity::host);
  sketch.launch(0, launches, {1.0, 2.0}, sketch.work("kernel"));
  EXPECT_DOUBLE_EQ(play(play_of(sketch.program(), ranks_of(1), {2.0, 3.0})).step_s(), 6.0);
  // Short kernels wait for the host.
  EXPECT_DOUBLE_EQ(play(play_of(sketch.program(), ranks_of(1), {2.0, 0.25})).step_s(), 2.0);
}

// Two ranks compute for 4 s, the first of them beside a collective.
TEST(Play, AResidentCollectiveSlowsKernels) {
  ProgramSketch sketch(2);
  const auto reduce = sketch.collective(CollectiveKind::all_reduce, Group::data, 1e9);
  const auto first = sketch.work("first"), second = sketch.work("second");
  for (const std::size_t stage : {0U, 1U}) {
    sketch.run(stage, first, {after(Stream::data_comm, 1, true)});
    sketch.communicate(stage, Stream::data_comm, reduce, {after(Stream::compute, 1)});
    sketch.run(stage, second);
  }
  Network network = ranks_of(2, 1);
  join(network, sketch.program(), Group::data, {0, 1}, over({0}));
  Play play_it = play_of(sketch.program(), network, {1.0, 4.0});
  EXPECT_DOUBLE_EQ(play(play_it).step_s(), 5.0);
  play_it.overlap_slowdown = 0.5;
  // In the collective's second 2/3 of a second's work is done.
  EXPECT_NEAR(play(play_it).step_s(), 5.0 + 1.0 / 3.0, 1e-12);
}

TEST(Play, ACollectiveWaitsForTheSlowestOfItsMembers) {
  ProgramSketch sketch(2);
  const auto reduce = sketch.collective(CollectiveKind::all_reduce, Group::data, 1e9);
  const auto first = sketch.work("first"), second = sketch.work("second");
  for (const std::size_t stage : {0U, 1U}) {
    sketch.run(stage, first, {after(Stream::data_comm, 1, true)});
    sketch.run(stage, second);
    sketch.communicate(stage, Stream::data_comm, reduce, {after(Stream::compute, 2)});
  }
  Network network = ranks_of(2, 1);
  join(network, sketch.program(), Group::data, {0, 1}, over({0}));
  Play play_it = play_of(sketch.program(), network, {3.0, 4.0});
  play_it.synchronisations[static_cast<std::size_t>(Group::data)] = {.per_root_square = 0.1, .per_second = 0.01};
  const Timeline timeline = play(play_it);
  EXPECT_NEAR(timeline.step_s(), 8.0 + 0.1 * 5.0 + 0.01 * 7.0, 1e-9);
}

TEST(Play, TwoTransfersOnOneLinkHalveIt) {
  ProgramSketch sketch(2);
  const auto work = sketch.work("work");
  const auto tensor = sketch.collective(CollectiveKind::all_reduce, Group::tensor, 1e9);
  const auto data = sketch.collective(CollectiveKind::all_reduce, Group::data, 1e9);
  for (const std::size_t stage : {0U, 1U}) {
    sketch.run(stage, work, {after(Stream::tensor_comm, 1, true), after(Stream::data_comm, 1, true)});
    sketch.communicate(stage, Stream::tensor_comm, tensor, {after(Stream::compute, 1)});
    sketch.communicate(stage, Stream::data_comm, data, {after(Stream::compute, 1)});
  }
  Network network = ranks_of(2, 1);
  join(network, sketch.program(), Group::tensor, {0, 1}, over({0}));
  join(network, sketch.program(), Group::data, {0, 1}, over({0}));
  EXPECT_NEAR(play(play_of(sketch.program(), network, {0.0})).step_s(), 2.0, 1e-12);
}

// A tenant's communicator over the given links.
void add_tenant(Play& play, Network network, const std::vector<std::size_t>& links, double bytes, double every_s) {
  Network::Communicator tenant;
  tenant.kind = kGroups;
  tenant.shapes = {over(links)};
  tenant.uses = {{0, 0, bytes}};
  network.communicators.push_back(tenant);
  play.quotient = unfolded(network);
  play.traffic = {{static_cast<std::uint32_t>(play.quotient.communicators.size() - 1), every_s, 0.0, std::nullopt}};
}

TEST(Tenants, OnASharedLinkATenantTakesItsPerConnectionShare) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 2);
  join(network, program, Group::tensor, {0, 1}, over({0}));
  Play shared = play_of(program, network, {1.0, 1.0});
  add_tenant(shared, network, {0}, 1e12, 1e6);  // one connection that never ends while we measure
  EXPECT_NEAR(play(shared).step_s(), 1.0 + 2.0, 1e-9);
}

TEST(Tenants, OnADisjointPathATenantChangesNothing) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 2);
  join(network, program, Group::tensor, {0, 1}, over({0}));
  const Play alone = play_of(program, network, {1.0, 1.0});
  Play beside = alone;
  add_tenant(beside, network, {1}, 0.37e9, 0.21);
  EXPECT_NEAR(play(beside).step_s(), play(alone).step_s(), 1e-12);
}

TEST(Tenants, APermanentShareIsTakenOffTheLink) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 1);
  network.links[0].shares = 1;
  join(network, program, Group::tensor, {0, 1}, over({0}));
  Play shared = play_of(program, network, {0.0, 0.0});
  shared.shares = {{0.5, std::nullopt, std::nullopt}};
  EXPECT_NEAR(play(shared).step_s(), 2.0, 1e-12);
}

TEST(Tenants, AShareThatComesAndGoesCostsItsMeanAndFollowsTheSeed) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 1);
  network.links[0].shares = 1;
  join(network, program, Group::tensor, {0, 1}, over({0}));
  Play shared = play_of(program, network, {0.0, 0.0});
  shared.shares = {{0.5, 0.01, 0.01}};  // half of the time half of the link
  shared.rule.has_timed_conditions = true;
  const double mean = play(shared).step_s();
  EXPECT_NEAR(mean, 1.0 / 0.75, 0.05);
  EXPECT_EQ(play(shared).step_s(), mean);  // same seed, same bytes
  shared.seed = 2;
  EXPECT_NE(play(shared).step_s(), mean);
}

TEST(Play, ScalesWithItsRates) {  // every rate k times faster, every fixed time k times shorter: k times shorter
  const Program program = two_ranks_that_reduce();
  const auto step_s = [&](double k) {
    Network network = ranks_of(2, 1, 1e9 * k);
    network.ranks[1].slowdown = 1.25;
    join(network, program, Group::tensor, {0, 1}, over({0}, 0.125 / k));
    Play scaled = play_of(program, network, {0.5 / k, 2.0 / k});
    add_tenant(scaled, network, {0}, 0.4e9, 0.7 / k);
    scaled.rule.fixed_steps = 3;
    return play(scaled).step_s();
  };
  for (const double k : {0.125, 3.0, 1024.0}) EXPECT_NEAR(step_s(k) * k, step_s(1.0), 1e-9 * step_s(1.0)) << k;
}

TEST(Play, ATransferInOtherUnitsTakesTheSameTime) {  // two connections of half the bytes, alone on their link
  const Program program = two_ranks_that_reduce();
  Network whole = ranks_of(2, 1);
  join(whole, program, Group::tensor, {0, 1}, over({0}, 0.1));
  Network halves = ranks_of(2, 1);
  Transfer transfer = over({0}, 0.1, 0.5);
  transfer.phases[0].parts[0].uses[0].n = 2;
  join(halves, program, Group::tensor, {0, 1}, transfer);
  const double step_s = play(play_of(program, whole, {0.5, 2.0})).step_s();
  EXPECT_NEAR(play(play_of(program, halves, {0.5, 2.0})).step_s(), step_s, 1e-12 * step_s);
}

TEST(LinkLoads, AddUpToTheBytesAndNeverExceedTheCapacity) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 1);
  join(network, program, Group::tensor, {0, 1}, over({0}));
  const Timeline timeline = play(play_of(program, network, {1.0, 1.0}));
  const LinkLoad& load = timeline.loads[1][0];
  EXPECT_NEAR(load.bytes, 1e9, 1e-3);
  EXPECT_NEAR(load.peak_bytes_per_s, 1e9, 1e-3);
  EXPECT_NEAR(load.saturated_s, 1.0, 1e-9);
}

TEST(LinkLoads, OfASharedLinkAreMeteredToo) {
  const Program program = two_ranks_that_reduce();
  Network network = ranks_of(2, 2);
  join(network, program, Group::tensor, {0, 1}, over({0}));
  Play shared = play_of(program, network, {1.0, 1.0});
  add_tenant(shared, network, {0}, 1e12, 1e6);
  shared.rule.fixed_steps = 1;
  const Timeline timeline = play(shared);
  const double carried = timeline.loads[1][0].bytes;  // the tenant alone for 1 s, both for 2 s
  EXPECT_NEAR(carried, 3e9, 1e3);
  EXPECT_LE(timeline.loads[1][0].peak_bytes_per_s, 1e9 * (1 + 1e-9));
}

}  // namespace
}  // namespace trainsim
