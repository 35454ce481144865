// Folding on networks small enough to see their symmetry.
#include "simulator/folding/quotient.hpp"

#include <gtest/gtest.h>

#include "simulator/folding/bounded_links.hpp"
#include "simulator/folding/refine.hpp"
#include "tests/engine/play_fixture.hpp"

namespace trainsim {
namespace {

// `pairs` pairs of ranks, each with an all-reduce over a link of its own and all over one common link.
struct Pairs {
  explicit Pairs(std::uint32_t pairs) {
    ProgramSketch sketch(1);
    const auto work = sketch.work("work");
    const auto reduce = sketch.collective(CollectiveKind::all_reduce, Group::tensor, 1e9);
    sketch.run(0, work, {after(Stream::tensor_comm, 1, true)});
    sketch.communicate(0, Stream::tensor_comm, reduce, {after(Stream::compute, 1)});
    program = sketch.program();
    network.links.assign(pairs + 1, link_of(1e9));
    for (std::uint32_t r = 0; r < 2 * pairs; ++r) network.ranks.push_back({0, 1.0, no_slots()});
    for (std::uint32_t p = 0; p < pairs; ++p)
      join(network, program, Group::tensor, {2 * p, 2 * p + 1}, over({p, pairs}));
  }
  [[nodiscard]] Play play(bool is_folded) const {
    Play result;
    result.program = program;
    result.work_s = {0.5};
    result.quotient = is_folded ? fold(network) : unfolded(network);
    return result;
  }
  Program program;
  Network network;
};

TEST(Folding, EqualPairsAreOneClassThatCrossesTheCommonLinkForAll) {
  const Pairs pairs(6);
  const Quotient quotient = fold(pairs.network);
  ASSERT_EQ(quotient.ranks.size(), 1U);
  EXPECT_EQ(quotient.ranks[0].population, 12U);
  ASSERT_EQ(quotient.communicators.size(), 1U);
  EXPECT_EQ(quotient.communicators[0].population, 6U);
  ASSERT_EQ(quotient.links.size(), 2U);
  ASSERT_EQ(quotient.parts.size(), 1U);
  std::uint64_t own = 0;
  std::uint64_t common = 0;
  for (const auto& use : quotient.parts[0].uses) (quotient.links[use.link].population == 6 ? own : common) = use.n;
  EXPECT_EQ(own, 1U);
  EXPECT_EQ(common, 6U);
}

TEST(Folding, WithoutFoldingEveryRankIsAClassOfItsOwn) { EXPECT_EQ(unfolded(Pairs(6).network).ranks.size(), 12U); }

TEST(Folding, ASlowRankSplitsOnlyItsOwnPairFromTheRest) {
  Pairs pairs(6);
  pairs.network.ranks[3].slowdown = 1.5;
  const Quotient quotient = fold(pairs.network);
  EXPECT_EQ(quotient.ranks.size(), 3U);  // the slow one, its peer, the ten others
  EXPECT_EQ(quotient.communicators.size(), 2U);
}

TEST(Folding, AThinLinkSplitsThePairThatCrossesIt) {
  Pairs pairs(6);
  pairs.network.links[2].capacity_bytes_per_s = 0.5e9;
  EXPECT_EQ(fold(pairs.network).ranks.size(), 2U);
}

TEST(Folding, TheFoldedPlayTakesTheTimeOfTheUnfoldedOne) {
  Pairs pairs(5);
  pairs.network.ranks[3].slowdown = 1.5;
  pairs.network.links[2].capacity_bytes_per_s = 0.3e9;
  const double folded = play(pairs.play(true)).step_s();
  EXPECT_NEAR(folded, play(pairs.play(false)).step_s(), 1e-9 * folded);
}

TEST(Folding, SenderAndReceiverAreNotInterchangeable) {
  ProgramSketch sketch(1);
  sketch.run(0, sketch.work("work"));
  sketch.communicate(0, Stream::pipeline_forward,
                     sketch.collective(CollectiveKind::send, Group::pipeline_forward, 1e9));
  Network network;
  network.links = {link_of(1e9)};
  for (std::uint32_t r = 0; r < 3; ++r) network.ranks.push_back({0, 1.0, no_slots()});
  join(network, sketch.program(), Group::pipeline_forward, {0, 1}, over({0}));
  join(network, sketch.program(), Group::pipeline_forward, {1, 2}, over({0}));
  EXPECT_EQ(fold(network).ranks.size(), 3U);  // first, middle and last differ
}

TEST(Folding, OnlySendersMakeALinkSequential) {  // the rank in the middle sends one of the two and receives the other
  ProgramSketch sketch(1);
  sketch.run(0, sketch.work("work"));
  sketch.collective(CollectiveKind::send, Group::pipeline_forward, 1e9);
  Network network;
  network.links = {link_of(1e9), link_of(1e9)};
  for (std::uint32_t r = 0; r < 3; ++r) network.ranks.push_back({0, 1.0, no_slots()});
  join(network, sketch.program(), Group::pipeline_forward, {0, 1}, over({0, 1}));
  join(network, sketch.program(), Group::pipeline_forward, {1, 2}, over({0}));
  const Quotient quotient = unfolded(network);
  EXPECT_FALSE(quotient.links[0].is_sequential);
  EXPECT_TRUE(quotient.links[1].is_sequential);
}

// Two NICs of 10 GB/s under a leaf, whose link to the spine has `up_bytes_per_s`.
bool keeps_uplink(LinkKind kind, double up_bytes_per_s, std::uint32_t shares = 0) {
  Topology topology;
  const VertexId spine = topology.add_device({DeviceKind::fabric_switch, kNoNode, 0, 1, 1});
  const VertexId leaf = topology.add_device({DeviceKind::fabric_switch, kNoNode, 0, 0, 1});
  Network network;
  for (std::uint32_t n = 0; n < 2; ++n) {
    const VertexId nic = topology.add_device({DeviceKind::nic, n, 0, 0, 1});
    Link link;
    link.kind = LinkKind::nic;
    link.bandwidth_bytes_per_s = 10e9;
    topology.add_link(nic, leaf, link);
    network.links.push_back(link_of(10e9));
  }
  Link up;
  up.kind = kind;
  up.bandwidth_bytes_per_s = up_bytes_per_s;
  topology.add_link(leaf, spine, up);
  network.links.push_back(link_of(up_bytes_per_s));
  network.links.back().kind = kind;
  network.links.back().shares = shares;
  Network::Communicator communicator;
  communicator.shapes = {over({0, 2}), over({1, 2})};
  network.communicators = {communicator};
  drop_bounded_links(network, topology);
  return network.communicators[0].shapes[0].phases[0].parts[0].uses.size() == 2;
}

TEST(BoundedLinks, AnUplinkThatCarriesAllItsNicsIsDropped) {
  EXPECT_FALSE(keeps_uplink(LinkKind::fabric, 20e9));
  EXPECT_TRUE(keeps_uplink(LinkKind::fabric, 19.9e9));
}

TEST(BoundedLinks, ALinkInsideANodeOrUnderATenantsShareStays) {
  EXPECT_TRUE(keeps_uplink(LinkKind::pcie, 20e9));
  EXPECT_TRUE(keeps_uplink(LinkKind::fabric, 20e9, 1));
}

TEST(Folding, APartitionThatStopsTooEarlyIsNotEquitable) {
  Pairs pairs(6);
  pairs.network.ranks[3].slowdown = 1.5;
  const PartList parts = list_parts(pairs.network);
  EXPECT_FALSE(is_equitable(pairs.network, parts, refine(pairs.network, parts, 1)));
  EXPECT_TRUE(is_equitable(pairs.network, parts, refine(pairs.network, parts)));
}

}  // namespace
}  // namespace trainsim
