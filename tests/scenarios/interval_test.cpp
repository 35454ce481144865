// Which measured runs an interval rests on, and how it widens.
#include "scenarios/run/interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace trainsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<ValidatedKind> kKinds = {
    {{"nanotron", "h100-sxm", "dense"}, 500, 0.2, {8, 512}, {1e9, 7e10}, {"sweep"}},
    {{"megatron-core", "h100-sxm", "dense"}, 20, 0.05, {8, 1024}, {1e9, 5e11}, {"table"}}};

double half_width(const RunKind& kind, double gpus, double parameters) {
  const auto interval = interval_of(10.0, kind, gpus, parameters, kKinds);
  EXPECT_NEAR(interval.low_s * interval.high_s, 100.0, 1e-9);
  return std::log(interval.high_s / 10.0);
}

TEST(Interval, RestsOnItsOwnKindThoughAnotherIsNarrower) {
  EXPECT_NEAR(half_width({"nanotron", "h100-sxm", "dense"}, 64, 8e9), 0.2, 1e-12);
  EXPECT_THAT(interval_of(10, {"nanotron", "h100-sxm", "dense"}, 64, 8e9, kKinds).rests_on,
              ElementsAre("500 dense runs of nanotron on 8 to 512 h100-sxm (sweep)"));
}

TEST(Interval, WidensWithEachDifference) {
  const RunKind core{"megatron-core", "h100-sxm", "dense"};
  const double own = half_width(core, 1024, 5e11);
  EXPECT_GT(half_width(core, 10240, 5e11), own);
  EXPECT_GT(half_width(core, 1024, 5e12), own);
  EXPECT_GT(half_width({"megatron-core", "b200-sxm", "dense"}, 1024, 5e11), own);
  EXPECT_GT(half_width({"megatron-core", "b200-sxm", "experts"}, 1024, 5e11),
            half_width({"megatron-core", "b200-sxm", "dense"}, 1024, 5e11));
  EXPECT_THAT(interval_of(10, core, 10240, 5e11, kKinds).rests_on, ElementsAre(HasSubstr("this run is unlike them")));
}

TEST(Interval, WithoutAnyRunIsAFactorOfTwo) {
  const auto interval = interval_of(10.0, {"a", "b", "dense"}, 8, 1e9, {});
  EXPECT_NEAR(interval.high_s, 20.0, 1e-9);
  EXPECT_THAT(interval.rests_on, IsEmpty());
}

TEST(Interval, TheShippedKindsAreRead) { EXPECT_GT(validated_kinds().size(), 5U); }

}  // namespace
}  // namespace trainsim
