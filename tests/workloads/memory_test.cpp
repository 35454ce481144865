#include "workloads/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "memory_fixture.hpp"
#include "workloads/activation_memory.hpp"
#include "workloads/chunk_layout.hpp"

namespace trainsim {
namespace {

using namespace test;

// Activations of all stages in layer-passes: those of layers only, divided by what one layer keeps.
std::vector<double> layers_in_flight(const Plan& plan) {
  const Model model = preset_model("gpt3-175b");
  std::vector<double> result;
  const double layer = layer_activations(model, {}, plan, {}).total_bytes;
  for (const MemoryParts& parts : memory_of(model, plan)) result.push_back(parts.activations_bytes / layer);
  return result;
}

TEST(Activations, Of1F1BFollowTheMicroBatchesInFlight) {
  const Model model = preset_model("gpt3-175b");
  const std::vector<double> layers = layers_in_flight(plan_for(model, 8, 1, 64));
  for (std::size_t stage = 1; stage + 1 < layers.size(); ++stage) {
    EXPECT_NEAR(layers[stage], 12.0 * static_cast<double>(8 - stage), 1e-9);
  }
  EXPECT_NEAR(layers.front(), 12 * 8, 0.5);  // the embedding's dropout is small beside a layer
  EXPECT_GT(layers.front(), 12 * 8);
}

TEST(Activations, OfGpipeAreAllMicroBatches) {
  const Model model = preset_model("gpt3-175b");
  Plan plan = plan_for(model, 8, 1, 24);
  plan.schedule = ScheduleKind::gpipe;
  const std::vector<double> layers = layers_in_flight(plan);
  for (std::size_t stage = 1; stage + 1 < layers.size(); ++stage) EXPECT_NEAR(layers[stage], 12 * 24, 1e-9);
}

// Korthikanti et al., section 4.2.3: L (1 + (p - 1)/(p m)) layers on the first stage of an interleaved pipeline.
TEST(Activations, OfInterleaved1F1BAreThePublishedMultiple) {
  const Model model = preset_model("gpt3-175b");
  const std::vector<double> layers = layers_in_flight(plan_for(model, 8, 3, 64));
  const double embeddings =
      16.0 / 23;  // dropout masks of 16 micro-batches, s b h bytes each beside s b h x 23 of a layer
  EXPECT_NEAR(layers.front(), 96 * (1 + 7.0 / 24) + embeddings, 1e-3);
}

TEST(Activations, CountEachChunksOwnLayers) {
  const Model model = preset_model("gpt3-175b");
  Plan plan = plan_for(model, 4, 1, 8);
  plan.layers_per_chunk = {30, 10, 40, 16};
  const std::vector<double> layers = layers_in_flight(plan);
  EXPECT_NEAR(layers[1], 10 * 3, 1e-9);
  EXPECT_NEAR(layers[2], 40 * 2, 1e-9);
}

class Recomputation : public testing::Test {
 protected:
  double activations() { return memory_of(model_, plan_)[1].activations_bytes; }

  Model model_ = preset_model("gpt3-175b");
  Plan plan_ = plan_for(model_, 4, 1, 8);
  LayerActivations layer_ = layer_activations(model_, {}, plan_, {});
  const double passes_ = 3;  // in flight on stage 1 of 4
};

TEST_F(Recomputation, InFullKeepsInputsAndOneLayersWorkingSet) {
  plan_.recompute = RecomputeKind::full;
  EXPECT_NEAR(activations(), passes_ * 24 * layer_.input_bytes + layer_.total_bytes - layer_.input_bytes, 1.0);
}

TEST_F(Recomputation, InFullOfSomeLayersKeepsTheOthersWhole) {
  plan_.recompute = RecomputeKind::full;
  plan_.recomputed_layers = 20;
  EXPECT_NEAR(activations(), passes_ * (20 * layer_.input_bytes + 4 * layer_.total_bytes), 1.0);
}

TEST_F(Recomputation, SelectivelyKeepsOneAttentionCore) {
  plan_.recompute = RecomputeKind::selective;
  const double core = layer_.total_bytes - layer_.selective_bytes;
  EXPECT_NEAR(activations(), passes_ * 24 * layer_.selective_bytes + core, 1.0);
}

TEST_F(Recomputation, SavesInThePublishedOrder) {
  const double none = activations();
  plan_.recompute = RecomputeKind::selective;
  const double selective = activations();
  plan_.recompute = RecomputeKind::full;
  EXPECT_GT(none, selective);
  EXPECT_GT(selective, activations());
}

// Figure 1 of Korthikanti et al.: each of the four models needs more than an 80 GB GPU has without recomputation, and
// fits with sequence parallelism and selective recomputation.
struct Configuration {
  const char* model;
  std::int64_t pipeline, virtual_stages, micro_batch_size, micro_batches;
};

class LargeModel : public testing::TestWithParam<Configuration> {
 protected:
  double peak_bytes(bool is_sequence_parallel, RecomputeKind recompute) {
    const Configuration& configuration = GetParam();
    const Model model = preset_model(configuration.model);
    Plan plan = plan_for(model, configuration.pipeline, configuration.virtual_stages, configuration.micro_batches);
    plan.micro_batch_size = configuration.micro_batch_size;
    plan.sequence_parallel = is_sequence_parallel;
    plan.recompute = recompute;
    double peak = 0;
    for (const MemoryParts& parts : memory_of(model, plan)) peak = std::max(peak, parts.total_bytes());
    return peak;
  }
};

TEST_P(LargeModel, NeedsMoreThan80GigabytesWithoutRecomputation) {
  EXPECT_GT(peak_bytes(false, RecomputeKind::none), 80 * kGigabyte);
}

TEST_P(LargeModel, FitsWithSequenceParallelismAndSelectiveRecomputation) {
  EXPECT_LT(peak_bytes(true, RecomputeKind::selective), 80 * kGigabyte);
}

INSTANTIATE_TEST_SUITE_P(Korthikanti, LargeModel,
                         testing::Values(Configuration{"gpt-22b", 1, 1, 4, 1}, Configuration{"gpt3-175b", 8, 3, 1, 64},
                                         Configuration{"gpt-530b", 35, 3, 1, 280},
                                         Configuration{"gpt-1t", 64, 1, 1, 512}),
                         [](const auto& instance) { return "Pipeline" + std::to_string(instance.param.pipeline); });

TEST(Logits, AreHeldOnTheLastStageOnly) {
  const Model model = preset_model("llama-3.1-8b");
  const Plan plan = plan_for(model, 4, 1, 8);
  const auto cheap = memory_of(model, plan, {.loss_bytes_per_logit = 4});
  const auto dear = memory_of(model, plan, {.loss_bytes_per_logit = 14});
  for (std::size_t stage = 0; stage < 3; ++stage) EXPECT_EQ(dear[stage].total_bytes(), cheap[stage].total_bytes());
  EXPECT_EQ(dear[3].total_bytes() - cheap[3].total_bytes(), 10 * 2048.0 * 128256.0 / 8);
}

TEST(MemoryPolicy, AddsFrameworkAndTheAllocatorsLoss) {
  const Model model = preset_model("llama-3.1-8b");
  const Plan plan = plan_for(model, 4, 1, 8);
  const MemoryParts without = memory_of(model, plan)[1];
  const MemoryParts with = memory_of(model, plan, {.framework_bytes = 3e9, .fragmentation = 0.1})[1];
  EXPECT_EQ(with.activations_bytes, without.activations_bytes);
  EXPECT_NEAR(with.total_bytes() - without.total_bytes(), 3e9 + 0.1 * without.activations_bytes, 1.0);
}

TEST(MemoryPolicy, AddsGradientsKeptBesideTheAccumulatedOnes) {
  const Model model = preset_model("llama-3.1-8b");
  const Plan plan = plan_for(model, 4, 1, 8);
  EXPECT_EQ(memory_of(model, plan, {.gradient_copy_bytes_per_parameter = 2})[1].gradients_bytes,
            (4 + 2) * stage_parameters(model, plan, 1).total());
}

TEST(MemoryPolicy, ScalesTheActivationsThatUnfusedKernelsKeep) {
  const Model model = preset_model("llama-3.1-8b");
  const Plan plan = plan_for(model, 4, 1, 8);
  EXPECT_NEAR(memory_of(model, plan, {.activation_factor = 1.5})[1].activations_bytes,
              1.5 * memory_of(model, plan)[1].activations_bytes, 1.0);
}

}  // namespace
}  // namespace trainsim
