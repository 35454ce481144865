#include "workloads/state_memory.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "memory_fixture.hpp"
#include "workloads/chunk_layout.hpp"
#include "workloads/optimizer_state.hpp"

namespace trainsim {
namespace {

using namespace test;

TEST(OptimizerState, OfMixedPrecisionAdamIsTwelveBytesPerParameter) {
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam", "fp32", "bf16"), 12);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adamw", "fp32", "fp8"), 12);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam", "fp32", "fp32"), 8);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("momentum", "fp32", "bf16"), 8);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("muon", "fp32", "bf16"), 8);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("sgd", "fp32", "bf16"), 4);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("sgd", "fp32", "tf32"), 0);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adafactor", "fp32", "bf16"), 4);
  EXPECT_THROW(optimizer_state_bytes_per_parameter("lion", "fp32", "bf16"), std::invalid_argument);
}

TEST(OptimizerState, OfNarrowerTypesShrinksTheMomentsAlone) {
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam", "bf16", "bf16"), 4 + 4);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam", "fp8", "bf16"), 4 + 2);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("adam8bit", "fp32", "bf16"), 4 + 2);
  EXPECT_EQ(optimizer_state_bytes_per_parameter("momentum", "bf16", "fp16"), 4 + 2);
}

Plan whole_model(const Model& model) {
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  return plan;
}

TEST(OptimizerState, OfAdafactorIsRowsAndColumnsOfEachMatrix) {
  const Model model = preset_model("llama-2-7b");
  Plan plan = whole_model(model);
  plan.optimizer = "adafactor";
  const double qkv = 4 * 4096.0, output = 2 * 4096.0, up = 2 * 11008.0 + 4096, down = 4096.0 + 11008;
  const double tables = 2 * (32000.0 + 4096);
  EXPECT_EQ(state_memory(model, plan, 0, 0).optimizer_bytes,
            4 * parameter_count(model) + 4 * (32 * (qkv + output + up + down) + tables));
}

TEST(OptimizerState, OfAdafactorCountsEveryExpertTheRouterAndAdapters) {
  Model model = preset_model("mixtral-8x7b");
  Plan plan = whole_model(model);
  plan.optimizer = "adafactor";
  const double attention = 4096 + 6144 + 2 * 4096.0, router = 4096.0 + 8;
  const double expert = 2 * 14336.0 + 4096 + 4096 + 14336;
  const double tables = 2 * (32000.0 + 4096);
  EXPECT_EQ(state_memory(model, plan, 0, 0).optimizer_bytes - 4 * parameter_count(model),
            4 * (32 * (attention + router + 8 * expert) + tables));
  model = preset_model("llama-2-7b");
  model.lora = Lora{.rank = 16, .o = true};
  plan.layers_per_chunk = {model.layers};
  EXPECT_EQ(state_memory(model, plan, 0, 0).optimizer_bytes - 4 * trained_parameter_count(model),
            4 * 32 * (2 * 4096.0 + 2 * 16));
}

TEST(OptimizerState, OfMuonIsAdamForEmbeddingAndHead) {
  const Model model = preset_model("llama-2-7b");
  Plan plan = whole_model(model);
  plan.optimizer = "muon";
  const double ends = embedding_parameters(model).total() + head_parameters(model).total();
  EXPECT_EQ(state_memory(model, plan, 0, 0).optimizer_bytes, 8 * parameter_count(model) + 4 * ends);
}

// Weights, gradients and Adam of the whole model on one GPU.
double state_bytes(const char* name, const std::string& grad_dtype, double gradient_copy = 0) {
  const Model model = preset_model(name);
  Plan plan = whole_model(model);
  plan.grad_dtype = grad_dtype;
  const StateMemory parts = state_memory(model, plan, gradient_copy, 0);
  return parts.weights_bytes + parts.gradients_bytes + parts.optimizer_bytes;
}

TEST(ModelState, OfMixedPrecisionAdamIsSixteenToTwentyBytesPerParameter) {
  EXPECT_EQ(state_bytes("llama-2-7b", "bf16"), 16 * 6'738'415'616.0);
  EXPECT_EQ(state_bytes("llama-2-7b", "fp32"), 18 * 6'738'415'616.0);
  EXPECT_EQ(state_bytes("llama-2-7b", "fp32", 2), 20 * 6'738'415'616.0);
  EXPECT_GT(state_bytes("llama-2-70b", "bf16"), 1000 * kGigabyte);
}

TEST(ModelState, OfSevenBillionParametersFitsOneH200AndNotOneH100) {
  for (const double copy : {0.0, 2.0}) {
    EXPECT_LT(state_bytes("llama-2-7b", "fp32", copy), 141 * kGigabyte);
    EXPECT_GT(state_bytes("llama-2-7b", "bf16", copy), 80 * kGigabyte);
  }
}

TEST(ModelState, OfAFrozenBaseIsItsWeightsAlone) {
  Model model = preset_model("llama-2-7b");
  const double base = parameter_count(model);
  model.lora = Lora{.rank = 16, .qkv = true};
  const double adapters = 32 * 16 * (4096.0 + 3 * 4096.0);
  const StateMemory parts = state_memory(model, whole_model(model), 0, 0);
  EXPECT_EQ(parts.weights_bytes, 2 * (base + adapters));
  EXPECT_EQ(parts.gradients_bytes, 4 * adapters);
  EXPECT_EQ(parts.optimizer_bytes, 12 * adapters);
}

class LowPrecisionWeights : public testing::Test {
 protected:
  double weight_bytes() const { return state_memory(model_, plan_, 0, 0).weights_bytes; }

  Model model_ = preset_model("llama-2-7b");
  Plan plan_ = whole_model(model_);
  const double all_ = parameter_count(model_);
  const double layers_ = 32 * layer_parameters(model_, {}).total();
};

TEST_F(LowPrecisionWeights, AreACopyBesideThose16BitsWide) {
  plan_.precision = "fp8";
  EXPECT_EQ(weight_bytes(), 2 * all_ + layers_);
  plan_.precision = "mxfp8";
  EXPECT_EQ(weight_bytes(), 2 * all_ + (1 + 1.0 / 32) * layers_);
  plan_.precision = "nvfp4";
  EXPECT_EQ(weight_bytes(), 2 * all_ + (0.5 + 1.0 / 16) * layers_);
}

TEST_F(LowPrecisionWeights, AreAllThatIsKeptWhereTheyAreGatheredSo) {
  plan_.precision = "fp8";
  plan_.data = 8;
  plan_.sharding = ShardingKind::optimizer;
  plan_.low_precision_weights = true;
  EXPECT_EQ(weight_bytes(), 2 * (all_ - layers_) + layers_);
}

TEST_F(LowPrecisionWeights, AreMadeOfWhatFullShardingGathered) {
  plan_.precision = "fp8";
  plan_.data = plan_.sharding_group = 8;
  plan_.sharding = ShardingKind::full;
  const double layer = layers_ / 32;
  EXPECT_EQ(weight_bytes(), 2 * all_ / 8);
  EXPECT_EQ(state_memory(model_, plan_, 0, 0).unsharded_bytes, 2 * 3 * layer);
  plan_.low_precision_weights = true;
  EXPECT_EQ(weight_bytes(), 2 * all_ / 8);
  // The head, with the final norm, stays in 16 bits.
  EXPECT_EQ(state_memory(model_, plan_, 0, 0).unsharded_bytes, 2 * head_parameters(model_).total() + layer);
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

TEST_F(Sharding, OfWeightsKeepsTwoWholeLayersWithTheirGradients) {
  plan_.reduces_every_micro_batch = true;
  plan_.sharding_group = 8;
  const MemoryParts parts = with(ShardingKind::full);
  const double layer = layer_parameters(model_, {}, {plan_.tensor}).total();
  EXPECT_EQ(parts.weights_bytes, whole_.weights_bytes / 8);
  EXPECT_EQ(parts.gradients_bytes, whole_.gradients_bytes / 8);
  EXPECT_EQ(parts.optimizer_bytes, whole_.optimizer_bytes / 8);
  EXPECT_EQ(parts.buffers_bytes - whole_.buffers_bytes, 2 * (2 + 4) * layer);
}

TEST_F(Sharding, OfWeightsWithinAGroupDividesByTheGroup) {
  plan_.reduces_every_micro_batch = true;
  plan_.sharding_group = 2;
  const MemoryParts parts = with(ShardingKind::full);
  EXPECT_EQ(parts.weights_bytes, whole_.weights_bytes / 2);
  EXPECT_EQ(parts.gradients_bytes, whole_.gradients_bytes / 2);
  EXPECT_EQ(parts.optimizer_bytes, whole_.optimizer_bytes / 2);
}

TEST_F(Sharding, OfWeightsKeptAfterTheForwardPassHoldsTheWholeStage) {
  plan_.sharding_group = 8;
  plan_.reshards_after_forward = false;
  const MemoryParts parts = with(ShardingKind::full);
  EXPECT_EQ(parts.gradients_bytes, whole_.gradients_bytes);  // accumulated over micro-batches
  EXPECT_EQ(parts.buffers_bytes - whole_.buffers_bytes, whole_.weights_bytes);
}

TEST_F(Sharding, OfWeightsIsDecidedByALargeVocabulary) {
  model_.vocab_size = 1'000'000;
  plan_.tensor = 1;
  plan_.sharding_group = 8;
  plan_.sharding = ShardingKind::full;
  plan_.reduces_every_micro_batch = true;
  const double table_and_layer = vocabulary_parameters(model_) + 4096 + layer_parameters(model_, {}).total();
  EXPECT_EQ(state_memory(model_, plan_, 0, 0).unsharded_bytes, (2 + 4) * table_and_layer);
}

class ExpertSharding : public testing::Test {
 protected:
  ExpertSharding() {
    plan_.data = 16;
    plan_.expert = 4;  // four replicas of each expert
    whole_ = state_memory(model_, plan_, 0, 0);
  }

  Model model_ = preset_model("mixtral-8x7b");
  Plan plan_ = whole_model(model_);
  StateMemory whole_;
  const double expert_ = 32 * 2 * 3 * 4096.0 * 14336.0;
  const double dense_ = parameter_count(model_) - 4 * expert_;
};

TEST_F(ExpertSharding, LeavesEachRankItsExperts) {
  EXPECT_EQ(whole_.weights_bytes, 2 * (dense_ + expert_));
  EXPECT_EQ(whole_.gradients_bytes, 4 * (dense_ + expert_));
  EXPECT_EQ(whole_.optimizer_bytes, 12 * (dense_ + expert_));
}

TEST_F(ExpertSharding, DividesExpertsByTheirReplicas) {
  plan_.sharding = ShardingKind::optimizer;
  EXPECT_EQ(state_memory(model_, plan_, 0, 0).optimizer_bytes, 12 * (dense_ / 16 + expert_ / 4));
  plan_.sharding = ShardingKind::gradients;
  plan_.reduces_every_micro_batch = true;
  EXPECT_EQ(state_memory(model_, plan_, 0, 0).gradients_bytes, 4 * (dense_ / 16 + expert_ / 4));
  plan_.sharding = ShardingKind::full;
  plan_.sharding_group = 8;
  EXPECT_EQ(state_memory(model_, plan_, 0, 0).weights_bytes, 2 * (dense_ / 8 + expert_ / 4));
}

TEST_F(ExpertSharding, GathersNoExpertsThatHaveOneReplica) {
  plan_.data = 4;
  plan_.sharding = ShardingKind::full;
  plan_.sharding_group = 4;
  const StateMemory parts = state_memory(model_, plan_, 0, 0);
  const double dense_layer = layer_parameters(model_, {.has_experts = true}).dense;
  const double table = vocabulary_parameters(model_) + 4096;  // with the final norm
  EXPECT_EQ(parts.weights_bytes, 2 * (dense_ / 4 + expert_));
  EXPECT_EQ(parts.unsharded_bytes, 2 * (table + dense_layer));
}

TEST(StageParameters, AddUpToTheModelOverStagesAndChunks) {
  const Model model = preset_model("llama-3.1-405b");
  Plan plan = plan_for(model, 9, 2, 9);
  plan.tensor = 1;
  double sum = 0;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) sum += stage_parameters(model, plan, stage).total();
  EXPECT_EQ(sum, parameter_count(model));
}

TEST(StageParameters, HoldATiedEmbeddingAtBothEnds) {
  const Model model = preset_model("gpt3-175b");
  Plan plan = plan_for(model, 8, 1, 8);
  plan.tensor = 1;
  double sum = 0;
  for (std::int64_t stage = 0; stage < plan.pipeline; ++stage) sum += stage_parameters(model, plan, stage).total();
  EXPECT_EQ(sum, parameter_count(model) + 51200.0 * 12288.0);
  plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  EXPECT_EQ(stage_parameters(model, plan, 0).total(), parameter_count(model));
}

}  // namespace
}  // namespace trainsim
