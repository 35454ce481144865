#include "workloads/plan.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace trainsim {
namespace {

using testing::ElementsAre;

TEST(BalancedLayers, AreEqualWhereTheLayersDivide) {
  EXPECT_THAT(balanced_layers(96, 8), ElementsAre(12, 12, 12, 12, 12, 12, 12, 12));
  EXPECT_THAT(balanced_layers(5, 1), ElementsAre(5));
}

TEST(BalancedLayers, CountEmbeddingAndLossAsALayerEach) {
  EXPECT_THAT(balanced_layers(126, 16), ElementsAre(7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7));
  EXPECT_THAT(balanced_layers(10, 4), ElementsAre(2, 3, 3, 2));
}

TEST(BalancedLayers, MakeTheMiddleChunksLargerFromTheSecondOn) {
  EXPECT_THAT(balanced_layers(7, 4), ElementsAre(1, 3, 2, 1));  // 9 places: 2, 3, 2, 2
  EXPECT_THAT(balanced_layers(13, 5), ElementsAre(2, 3, 3, 3, 2));
}

TEST(BalancedLayers, ThenTheFirst) {
  EXPECT_THAT(balanced_layers(9, 4), ElementsAre(2, 3, 3, 1));  // 11 places: 3, 3, 3, 2
  EXPECT_THAT(balanced_layers(7, 2), ElementsAre(4, 3));
}

TEST(BalancedLayers, LeaveTheEndsToEmbeddingAndLossWhereLayersAreFew) {
  EXPECT_THAT(balanced_layers(2, 4), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(balanced_layers(2, 6), ElementsAre(0, 1, 1, 0, 0, 0));
  EXPECT_THAT(balanced_layers(1, 2), ElementsAre(1, 0));
}

TEST(RecomputedLayers, AreAllOfAChunkUnlessLimited) {
  Plan plan;
  plan.layers_per_chunk = {7, 3};
  EXPECT_EQ(plan.recomputed_in_chunk(0), 0);
  plan.recompute = RecomputeKind::full;
  EXPECT_EQ(plan.recomputed_in_chunk(0), 7);
  plan.recomputed_layers = 5;
  EXPECT_EQ(plan.recomputed_in_chunk(0), 5);
  EXPECT_EQ(plan.recomputed_in_chunk(1), 3);
}

TEST(ElementBytes, FollowTheFormat) {
  EXPECT_EQ(element_bytes("fp32"), 4);
  EXPECT_EQ(element_bytes("tf32"), 4);
  EXPECT_EQ(element_bytes("bf16"), 2);
  EXPECT_EQ(element_bytes("mxfp8"), 1);
  EXPECT_EQ(element_bytes("nvfp4"), 0.5);
  EXPECT_THROW(element_bytes("int3"), std::invalid_argument);
}

TEST(ActivationElementBytes, AreAtLeastTwo) {
  EXPECT_EQ(activation_element_bytes("fp8"), 2);
  EXPECT_EQ(activation_element_bytes("fp16"), 2);
  EXPECT_EQ(activation_element_bytes("fp32"), 4);
}

}  // namespace
}  // namespace trainsim
