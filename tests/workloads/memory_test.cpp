#include "workloads/memory.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

#include "workloads/presets.hpp"
#include "workloads/schedule.hpp"

namespace trainsim {
namespace {

constexpr double kGigabyte = 1e9;

// The plans of Korthikanti et al., table 3: tensor 8, micro-batches of one sequence of 2048 tokens.
Plan plan_for(const Model& model, std::int64_t pipeline, std::int64_t virtual_stages, std::int64_t micro_batches) {
  Plan plan;
  plan.tensor = 8;
  plan.pipeline = pipeline;
  plan.virtual_stages = virtual_stages;
  plan.schedule = virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  plan.layers_per_chunk = balanced_layers(model.layers, pipeline * virtual_stages);
  plan.micro_batches = micro_batches;
  plan.global_batch_size = micro_batches;
  plan.sequence_length = 2048;
  plan.precision = "fp16";
  return plan;
}

std::vector<MemoryParts> memory_of(const Model& model, const Plan& plan, const MemoryPolicy& policy = {},
                                   const KernelPolicy& kernels = {}) {
  std::vector<std::vector<Slot>> schedule;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) schedule.push_back(schedule_slots(plan, stage));
  return memory_by_stage(model, plan, kernels, policy, schedule);
}

class LayerOfGpt3 : public testing::Test {
 protected:
  LayerOfGpt3() { plan_.tensor = 1; }

  Model model_ = preset_model("gpt3-175b");
  Plan plan_ = plan_for(model_, 1, 1, 1);
  KernelPolicy unfused_;
  const double sbh_ = 2048.0 * 12288.0;
  const double core_ = 5 * 96.0 * 2048.0 / 12288.0;  // 5 a s / h
};

TEST_F(LayerOfGpt3, KeepsEquationOneWithoutParallelism) {
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).total_bytes, sbh_ * (34 + core_));
}

TEST_F(LayerOfGpt3, KeepsEquationTwoWithTensorParallelism) {
  plan_.tensor = 8;
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).total_bytes, sbh_ * (10 + 24.0 / 8 + core_ / 8));
}

TEST_F(LayerOfGpt3, KeepsEquationFourWithSequenceParallelism) {
  plan_.tensor = 8;
  plan_.sequence_parallel = true;
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).total_bytes, sbh_ / 8 * (34 + core_));
}

TEST_F(LayerOfGpt3, KeepsEquationSixWithSelectiveRecomputation) {
  plan_.tensor = 8;
  plan_.sequence_parallel = true;
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).selective_bytes, sbh_ / 8 * 34);
}

TEST_F(LayerOfGpt3, KeepsItsInputWithFullRecomputation) {
  plan_.tensor = 8;
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).input_bytes, 2 * sbh_);
  plan_.sequence_parallel = true;
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).input_bytes, 2 * sbh_ / 8);
}

TEST_F(LayerOfGpt3, KeepsTwiceAsMuchOfTwiceTheMicroBatch) {
  const double one = layer_activations(model_, plan_, unfused_).total_bytes;
  plan_.micro_batch_size = 2;
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).total_bytes, 2 * one);
}

TEST_F(LayerOfGpt3, KeepsNoScoresWithFusedAttention) {
  const KernelPolicy fused{.flash_attention = 2};
  const double normaliser = 4 * 96.0 * 2048.0;
  EXPECT_EQ(layer_activations(model_, plan_, fused).total_bytes, sbh_ * 34 + normaliser);
  EXPECT_EQ(layer_activations(model_, plan_, fused).selective_bytes, sbh_ * 34 + normaliser);
}

TEST_F(LayerOfGpt3, KeepsTwiceAsMuchIn32Bits) {
  model_.dropout = false;  // masks stay one byte
  const double in_16_bits = layer_activations(model_, plan_, unfused_).total_bytes;
  plan_.precision = "fp32";
  EXPECT_EQ(layer_activations(model_, plan_, unfused_).total_bytes, 2 * in_16_bits);
}

TEST(LayerActivations, OfGroupedQueriesAndAGatedMlpAreTheHandCount) {
  const Model model = preset_model("llama-3.1-8b");
  Plan plan = plan_for(model, 1, 1, 1);
  plan.sequence_length = 8192;
  plan.context = 2;
  plan.sequence_parallel = true;
  // Per token, 16 bit: norms and inputs 4 h; q and output 2 x 4096; k and v 2 x 1024; gate, up and their product 3 f.
  const double elements = 4 * 4096.0 + 2 * 4096.0 + 2 * 1024.0 + 3 * 14336.0;
  const double normaliser = 4 * 32.0;
  EXPECT_EQ(layer_activations(model, plan, {.flash_attention = 3}).total_bytes,
            4096.0 / 8 * (2 * elements + normaliser));
}

TEST(LayerActivations, OfWiderSelectiveRecomputationKeepEverySecondProduct) {
  const Model model = preset_model("llama-3.1-8b");
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  const KernelPolicy kernels{.flash_attention = 2, .recomputes_attention_only = false};
  const LayerActivations layer = layer_activations(model, plan, kernels);
  const double input_and_attention = 4096.0 + 4096.0;
  const double query_value_up_down = 4096.0 + 1024.0 + 14336.0 + 4096.0;
  EXPECT_EQ(layer.selective_bytes, 2048.0 * 2 * (input_and_attention + query_value_up_down));
  EXPECT_LT(layer.selective_bytes, layer.total_bytes);
  EXPECT_GT(layer.selective_bytes, layer.input_bytes);
}

TEST(OptimizerState, OfMixedPrecisionAdamIsTwelveBytesPerParameter) {
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam", "bf16"), 12);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adamw", "fp8"), 12);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam", "fp32"), 8);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("momentum", "bf16"), 8);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("sgd", "bf16"), 4);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("sgd", "tf32"), 0);
  EXPECT_THROW(optimizer_state_bytes_per_parameter("lion", "bf16"), std::invalid_argument);
}

// Weights, gradients and Adam of the whole model on one GPU.
double state_bytes(const char* name, const std::string& grad_dtype) {
  const Model model = preset_model(name);
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  plan.grad_dtype = grad_dtype;
  const MemoryParts parts = memory_of(model, plan).front();
  return parts.weights_bytes + parts.gradients_bytes + parts.optimizer_bytes;
}

TEST(ModelState, OfMixedPrecisionAdamIsSixteenToEighteenBytesPerParameter) {
  EXPECT_EQ(state_bytes("llama-2-7b", "bf16"), 16 * 6'738'415'616.0);
  EXPECT_EQ(state_bytes("llama-2-7b", "fp32"), 18 * 6'738'415'616.0);
  EXPECT_GT(state_bytes("llama-2-70b", "bf16"), 1000 * kGigabyte);
}

class Sharding : public testing::Test {
 protected:
  Sharding() {
    plan_.data = 4;
    plan_.context = 2;
    whole_ = memory_of(model_, plan_).front();
  }

  MemoryParts with(ShardingKind kind) {
    plan_.sharding = kind;
    return memory_of(model_, plan_).front();
  }

  Model model_ = preset_model("llama-2-7b");
  Plan plan_ = plan_for(model_, 1, 1, 1);
  MemoryParts whole_;
};

TEST_F(Sharding, OfTheOptimizerSpreadsItOverDataAndContext) {
  const MemoryParts parts = with(ShardingKind::optimizer);
  EXPECT_EQ(parts.optimizer_bytes, whole_.optimizer_bytes / 8);
  EXPECT_EQ(parts.gradients_bytes, whole_.gradients_bytes);
  EXPECT_EQ(parts.weights_bytes, whole_.weights_bytes);
}

TEST_F(Sharding, OfGradientsNeedsAReductionAfterEachMicroBatch) {
  EXPECT_EQ(with(ShardingKind::gradients).gradients_bytes, whole_.gradients_bytes);
  plan_.reduces_every_micro_batch = true;
  const MemoryParts parts = with(ShardingKind::gradients);
  EXPECT_EQ(parts.gradients_bytes, whole_.gradients_bytes / 8);
  EXPECT_EQ(parts.weights_bytes, whole_.weights_bytes);
  EXPECT_EQ(parts.buffers_bytes - whole_.buffers_bytes, 2 * plan_.overlap.bucket_bytes);
}

TEST_F(Sharding, OfWeightsKeepsTwoWholeLayers) {
  plan_.reduces_every_micro_batch = true;
  const MemoryParts parts = with(ShardingKind::full);
  EXPECT_EQ(parts.weights_bytes, whole_.weights_bytes / 8);
  EXPECT_EQ(parts.buffers_bytes - whole_.buffers_bytes,
            2 * plan_.overlap.bucket_bytes + 2 * 2 * layer_parameters(model_, plan_.tensor));
}

TEST(StageParameters, AddUpToTheModelOverStagesAndChunks) {
  const Model model = preset_model("llama-3.1-405b");
  Plan plan = plan_for(model, 9, 2, 9);
  plan.tensor = 1;
  double sum = 0;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) sum += stage_parameters(model, plan, stage);
  EXPECT_EQ(sum, parameter_count(model));
}

TEST(StageParameters, HoldATiedEmbeddingAtBothEnds) {
  const Model model = preset_model("gpt3-175b");
  Plan plan = plan_for(model, 8, 1, 8);
  plan.tensor = 1;
  double sum = 0;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) sum += stage_parameters(model, plan, stage);
  EXPECT_EQ(sum, parameter_count(model) + 51200.0 * 12288.0);
  plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  EXPECT_EQ(stage_parameters(model, plan, 0), parameter_count(model));
}

// Activations of all stages in layer-passes: those of layers only, divided by what one layer keeps.
std::vector<double> layers_in_flight(const Plan& plan) {
  const Model model = preset_model("gpt3-175b");
  std::vector<double> result;
  const double layer = layer_activations(model, plan, {}).total_bytes;
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
  LayerActivations layer_ = layer_activations(model_, plan_, {});
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
            (4 + 2) * stage_parameters(model, plan, 1));
}

TEST(MemoryPolicy, ScalesTheActivationsThatUnfusedKernelsKeep) {
  const Model model = preset_model("llama-3.1-8b");
  const Plan plan = plan_for(model, 4, 1, 8);
  EXPECT_NEAR(memory_of(model, plan, {.activation_factor = 1.5})[1].activations_bytes,
              1.5 * memory_of(model, plan)[1].activations_bytes, 1.0);
}

}  // namespace
}  // namespace trainsim
