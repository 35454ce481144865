// The labels of waiting time, on plays small enough to add up by hand.
#include "simulator/accounting/accounting.hpp"

#include <gtest/gtest.h>

#include "tests/engine/play_fixture.hpp"

namespace trainsim {
namespace {

// Two stages compute 1 s and 3 s, then reduce over a link for 2 s, of which the next step waits for all.
struct TwoRanks {
  TwoRanks() {
    ProgramSketch sketch(2);
    const auto fast = sketch.work("fast");
    const auto slow = sketch.work("slow");
    const auto reduce = sketch.collective(CollectiveKind::all_reduce, Group::data, 2e9);
    for (const std::size_t stage : {0U, 1U}) {
      sketch.run(stage, stage == 0 ? fast : slow, {after(Stream::data_comm, 1, true)});
      sketch.communicate(stage, Stream::data_comm, reduce, {after(Stream::compute, 1)});
    }
    prepared.program = sketch.program();
    prepared.work_s = {1.0, 3.0};
    Network network;
    for (std::uint32_t r = 0; r < 2; ++r) network.ranks.push_back({r, 1.0, no_slots()});
    network.links = {link_of(1e9)};
    join(network, prepared.program, Group::data, {0, 1}, over({0}));
    prepared.quotient = unfolded(network);
    timeline = play(prepared);
  }
  [[nodiscard]] PlayedSteps played() const { return {prepared.program, prepared.work_s, prepared.quotient, timeline}; }

  Play prepared;
  Timeline timeline;
};

double share(const TimeSplit& split, Label label) { return split[static_cast<std::size_t>(label)]; }

TEST(Accounting, AWaitForAPeersKernelIsBubbleAndForATransferExposed) {
  const TwoRanks ranks;
  const Accounting accounting = account(ranks.played());
  const TimeSplit& fast = accounting.by_rank_class[0];
  EXPECT_NEAR(share(fast, Label::compute), 1.0 / 5, 1e-9);
  EXPECT_NEAR(share(fast, Label::bubble), 2.0 / 5, 1e-9);
  EXPECT_NEAR(share(fast, Label::exposed_data), 2.0 / 5, 1e-9);
  const TimeSplit& slow = accounting.by_rank_class[1];
  EXPECT_NEAR(share(slow, Label::compute), 3.0 / 5, 1e-9);
  EXPECT_NEAR(share(slow, Label::exposed_data), 2.0 / 5, 1e-9);
}

TEST(Accounting, TheMeanIsOverGpusAndAStagesIsItsOwn) {
  const TwoRanks ranks;
  const Accounting accounting = account(ranks.played());
  EXPECT_NEAR(share(mean_split(ranks.played(), accounting), Label::compute), 2.0 / 5, 1e-9);
  EXPECT_NEAR(share(mean_split(ranks.played(), accounting, 1), Label::compute), 3.0 / 5, 1e-9);
  EXPECT_NEAR(idle_fraction(mean_split(ranks.played(), accounting)), 3.0 / 5, 1e-9);
}

TEST(Accounting, AKernelIsResidentWhileACollectiveWaitsForItsPeers) {
  const TwoRanks ranks;
  EXPECT_NEAR(account(ranks.played()).utilization[0], 1.0, 1e-9);
}

TEST(Accounting, ExposedTimeIsChargedToTheLinkThatBinds) {
  const TwoRanks ranks;
  const Accounting accounting = account(ranks.played());
  EXPECT_NEAR(accounting.exposed_by_link[static_cast<std::size_t>(LinkKind::nic)], 2.0 / 5, 1e-9);
  EXPECT_EQ(accounting.exposed_by_link[static_cast<std::size_t>(LinkKind::nvlink)], 0.0);
}

TEST(Accounting, ALinksMeanLoadIsItsBytesOverTheTime) {
  const TwoRanks ranks;
  const Accounting accounting = account(ranks.played());
  EXPECT_NEAR(accounting.links[0].mean_bytes_per_s, 2e9 / 5, 1.0);
  EXPECT_NEAR(accounting.links[0].saturated_share, 2.0 / 5, 1e-9);
}

}  // namespace
}  // namespace trainsim
