#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "workloads/plan.hpp"

namespace trainsim {
namespace {

TEST(BalancedLayers, SumUpAreNeverNegativeAndDifferByAtMostOnePlace) {
  EXPECT_TRUE(rc::check([] {
    const auto layers = *rc::gen::inRange<std::int64_t>(1, 300);
    const auto chunks = *rc::gen::inRange<std::int64_t>(1, 130);
    std::vector<std::int64_t> split = balanced_layers(layers, chunks);
    RC_ASSERT(static_cast<std::int64_t>(split.size()) == chunks);
    RC_ASSERT(std::accumulate(split.begin(), split.end(), std::int64_t{0}) == layers);
    RC_ASSERT(*std::min_element(split.begin(), split.end()) >= 0);
    if (layers % chunks != 0) {
      ++split.front();
      ++split.back();
    }
    const auto [least, most] = std::minmax_element(split.begin(), split.end());
    RC_ASSERT(*most - *least <= 1);
  }));
}

}  // namespace
}  // namespace trainsim
