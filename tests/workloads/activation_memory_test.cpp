#include "workloads/activation_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "memory_fixture.hpp"

namespace trainsim {
namespace {

using namespace test;

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
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).total_bytes, sbh_ * (34 + core_));
}

TEST_F(LayerOfGpt3, KeepsEquationTwoWithTensorParallelism) {
  plan_.tensor = 8;
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).total_bytes, sbh_ * (10 + 24.0 / 8 + core_ / 8));
}

TEST_F(LayerOfGpt3, KeepsEquationFourWithSequenceParallelism) {
  plan_.tensor = 8;
  plan_.sequence_parallel = true;
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).total_bytes, sbh_ / 8 * (34 + core_));
}

TEST_F(LayerOfGpt3, KeepsEquationSixWithSelectiveRecomputation) {
  plan_.tensor = 8;
  plan_.sequence_parallel = true;
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).selective_bytes, sbh_ / 8 * 34);
}

TEST_F(LayerOfGpt3, KeepsItsInputWithFullRecomputation) {
  plan_.tensor = 8;
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).input_bytes, 2 * sbh_);
  plan_.sequence_parallel = true;
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).input_bytes, 2 * sbh_ / 8);
}

TEST_F(LayerOfGpt3, KeepsTwiceAsMuchOfTwiceTheMicroBatch) {
  const double one = layer_activations(model_, {}, plan_, unfused_).total_bytes;
  plan_.micro_batch_size = 2;
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).total_bytes, 2 * one);
}

TEST_F(LayerOfGpt3, KeepsNoScoresWithFusedAttention) {
  const KernelPolicy fused{.flash_attention = 2};
  const double normaliser = 4 * 96.0 * 2048.0;
  EXPECT_EQ(layer_activations(model_, {}, plan_, fused).total_bytes, sbh_ * 34 + normaliser);
  EXPECT_EQ(layer_activations(model_, {}, plan_, fused).selective_bytes, sbh_ * 34 + normaliser);
}

TEST_F(LayerOfGpt3, KeepsTwiceAsMuchIn32Bits) {
  model_.dropout = false;  // masks stay one byte
  const double in_16_bits = layer_activations(model_, {}, plan_, unfused_).total_bytes;
  plan_.precision = "fp32";
  EXPECT_EQ(layer_activations(model_, {}, plan_, unfused_).total_bytes, 2 * in_16_bits);
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
  EXPECT_EQ(layer_activations(model, {}, plan, {.flash_attention = 3}).total_bytes,
            4096.0 / 8 * (2 * elements + normaliser));
}

TEST(LayerActivations, OfWiderSelectiveRecomputationKeepEverySecondProduct) {
  const Model model = preset_model("llama-3.1-8b");
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  const KernelPolicy kernels{.flash_attention = 2, .recomputes_attention_only = false};
  const LayerActivations layer = layer_activations(model, {}, plan, kernels);
  const double input_and_attention = 4096.0 + 4096.0;
  const double query_value_up_down = 4096.0 + 1024.0 + 14336.0 + 4096.0;
  EXPECT_EQ(layer.selective_bytes, 2048.0 * 2 * (input_and_attention + query_value_up_down));
  EXPECT_LT(layer.selective_bytes, layer.total_bytes);
  EXPECT_GT(layer.selective_bytes, layer.input_bytes);
}

// One rank of eight that hold Mixtral's eight experts, or DeepSeek-V3's 256, between them; 2048 tokens, 16 bits.
Plan expert_plan(const Model& model) {
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  plan.data = plan.expert = 8;
  plan.precision = "bf16";
  return plan;
}

constexpr LayerKind kExperts{.has_experts = true};
constexpr double kTokens = 2048;
const KernelPolicy kFused{.flash_attention = 2};

// Inputs of the norm and of q, k, v; those; the output; the normaliser.
double mixtral_attention() { return kTokens * (2 * (2 * 4096.0 + 2 * 4096.0 + 2 * 1024.0) + 4 * 32.0); }

TEST(ExpertLayer, KeepsWhatItDispatchesComputesAndCombines) {
  const Model model = preset_model("mixtral-8x7b");
  const double router = kTokens * (2 * 2 * 4096.0 + 4 * 8.0);  // inputs of norm and router, fp32 probabilities
  const double experts = kTokens * 2 * 2 * (4096.0 + 3 * 14336.0);
  const double combined = kTokens * 2 * 2 * 4096.0;
  const LayerActivations layer = layer_activations(model, kExperts, expert_plan(model), kFused);
  EXPECT_EQ(layer.total_bytes, mixtral_attention() + router + experts + combined);
  EXPECT_EQ(layer.selective_bytes, layer.total_bytes);
  EXPECT_EQ(layer.input_bytes, kTokens * 2 * 4096);
}

TEST(ExpertLayer, KeepsNoOutputsWhereProbabilitiesMultiplyInside) {
  const Model model = preset_model("mixtral-8x7b");
  KernelPolicy inside = kFused;
  inside.scales_inside_experts = true;
  EXPECT_EQ(layer_activations(model, kExperts, expert_plan(model), inside).total_bytes,
            layer_activations(model, kExperts, expert_plan(model), kFused).total_bytes - kTokens * 2 * 2 * 4096.0);
}

TEST(ExpertLayer, KeepsMoreOnlyOfRowsWhereItsExpertsAreFuller) {
  Model model = preset_model("mixtral-8x7b");
  const Plan plan = expert_plan(model);
  const double balanced = layer_activations(model, kExperts, plan, kFused).total_bytes;
  model.experts->loads = {9, 1, 1, 1, 1, 1, 1, 1};  // 4.5 times the mean
  const double rows = kTokens * 2 * 2 * (4096.0 + 3 * 14336.0);
  EXPECT_NEAR(layer_activations(model, kExperts, plan, kFused).total_bytes, balanced + 3.5 * rows, 1);
  model.experts->capacity_factor = 1.0;
  EXPECT_NEAR(layer_activations(model, kExperts, plan, kFused).total_bytes, balanced, 1);
}

TEST(ExpertLayer, SplitsExpertsOverTensorRanksThatGatherTheirRows) {
  const Model model = preset_model("mixtral-8x7b");
  Plan plan = expert_plan(model);
  const double alone = layer_activations(model, kExperts, plan, kFused).total_bytes;
  plan.data = 16;
  plan.expert_tensor = 2;
  // Inner activations: twice the rows, half the width. Dispatched inputs: twice the rows.
  EXPECT_EQ(layer_activations(model, kExperts, plan, kFused).total_bytes, alone + kTokens * 2 * 2 * 4096);
}

TEST(ExpertLayer, OfDeepSeekKeepsCompressedAndWholeHeadsAndItsSharedExpert) {
  const Model model = preset_model("deepseek-v3");
  const double compressed = 2 * 2 * (1536.0 + 512.0) + 2 * 64.0;
  const double heads = 2 * 128 * (192.0 + 192.0 + 128.0 + 128.0) + 4 * 128.0;
  const double inputs_and_router = 4 * 2 * 7168.0 + 4 * 256.0;
  const double experts = 8 * 2 * (7168.0 + 3 * 2048.0) + 8 * 2 * 7168.0;
  const double shared = 2 * 3 * 2048.0;
  EXPECT_EQ(layer_activations(model, kExperts, expert_plan(model), kFused).total_bytes,
            kTokens * (compressed + heads + inputs_and_router + experts + shared));
}

// Bytes less per token of one layer of Llama 3.1 8B than in 16 bits.
double saved_by(const std::string& precision, ScalingKind scaling, const KernelPolicy& kernels) {
  const Model model = preset_model("llama-3.1-8b");
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  plan.scaling = scaling;
  const double wide = layer_activations(model, {}, plan, kernels).total_bytes;
  plan.precision = precision;
  return (wide - layer_activations(model, {}, plan, kernels).total_bytes) / kTokens;
}

TEST(LowPrecision, HalvesTheInputsOfMatrixProductsAlone) {
  const double inputs = 3 * 4096.0 + 14336.0;  // of q, k, v; of the output; of gate and up; of down
  EXPECT_EQ(saved_by("fp8", ScalingKind::delayed, {}), inputs);
  EXPECT_EQ(saved_by("fp8", ScalingKind::blockwise, {}), inputs * (1 - 4.0 / 128));
  EXPECT_EQ(saved_by("mxfp8", ScalingKind::blockwise, {}), inputs * (1 - 1.0 / 32));
  EXPECT_EQ(saved_by("nvfp4", ScalingKind::blockwise, {}), inputs * (1.5 - 1.0 / 16));
}

TEST(LowPrecision, HalvesInputsOfTheActivationWhereTheStackKeepsThemNarrow) {
  const Model model = preset_model("llama-3.1-8b");
  Plan plan = plan_for(model, 1, 1, 1);
  plan.tensor = 1;
  const KernelPolicy wide{.flash_attention = 3};
  KernelPolicy narrow = wide;
  narrow.keeps_activation_inputs_in_8_bits = true;
  const auto saved = [&] {
    return layer_activations(model, {}, plan, wide).total_bytes -
           layer_activations(model, {}, plan, narrow).total_bytes;
  };
  EXPECT_EQ(saved(), 0);
  plan.precision = "fp8";
  EXPECT_EQ(saved(), 2048.0 * 2 * 14336.0);
}

TEST(LowPrecision, LeavesFusedAttentionItsOutputIn16Bits) {
  EXPECT_EQ(saved_by("fp8", ScalingKind::delayed, kFused), 2 * 4096.0 + 14336.0 - 4096.0);
}

class AdaptedLayer : public testing::Test {
 protected:
  AdaptedLayer() { plan_.tensor = 1; }
  double bytes_per_token() { return layer_activations(model_, {}, plan_, kFused).total_bytes / kTokens; }

  Model model_ = preset_model("llama-2-7b");
  Plan plan_ = plan_for(model_, 1, 1, 1);
  const double hidden_ = 4096;
  const double inner_ = 11008;
  const double normaliser_ = 4 * 32;
};

TEST_F(AdaptedLayer, KeepsMatrixInputsForAdaptersAlone) {
  model_.lora = Lora{.rank = 16, .q = true, .v = true};
  // Norms' inputs; q, k, v and the output; gate and up; then the input of q and v and the adapters' inner activations.
  const double needed = 2 * (2 * hidden_ + 4 * hidden_ + 2 * inner_) + normaliser_;
  EXPECT_EQ(bytes_per_token(), needed + 2 * (hidden_ + 2 * 16));
}

TEST_F(AdaptedLayer, KeepsAsMuchAsATrainedOneWhereAllIsAdapted) {
  const double trained = bytes_per_token();
  model_.lora = Lora{.rank = 8, .qkv = true, .o = true, .mlp = true};
  EXPECT_EQ(bytes_per_token(), trained + 4 * 2 * 8);
}

TEST_F(AdaptedLayer, KeepsItsAdaptersInputsIn16BitsWithNarrowerProducts) {
  model_.lora = Lora{.rank = 8, .qkv = true, .o = true, .mlp = true};
  const double wide = bytes_per_token();
  plan_.precision = "fp8";
  EXPECT_EQ(bytes_per_token(), wide);
}

class SplitSequence : public testing::Test {
 protected:
  SplitSequence() {
    plan_.tensor = 1;
    whole_ = layer_activations(model_, {}, plan_, kFused).total_bytes;
    workspace_ = layer_workspace_bytes(model_, {}, plan_);
    plan_.context = 4;
  }

  Model model_ = preset_model("llama-3.1-8b");
  Plan plan_ = plan_for(model_, 1, 1, 1);
  double whole_ = 0;
  double workspace_ = 0;
};

TEST_F(SplitSequence, KeepsItsShareAndExchangesTwoPairsOfKeysAndValuesInARing) {
  EXPECT_EQ(layer_activations(model_, {}, plan_, kFused).total_bytes, whole_ / 4);
  const double keys_and_values = 2 * kTokens / 4 * 2 * 1024;
  EXPECT_EQ(layer_workspace_bytes(model_, {}, plan_), workspace_ / 4 + 2 * 2 * keys_and_values);
}

TEST_F(SplitSequence, ExchangesQueriesKeysAndValuesForHeads) {
  plan_.context_kind = ContextKind::ulysses;
  EXPECT_EQ(layer_activations(model_, {}, plan_, kFused).total_bytes, whole_ / 4);
  EXPECT_EQ(layer_workspace_bytes(model_, {}, plan_), workspace_ / 4 + 2 * kTokens / 4 * (4096 + 2 * 1024));
}

TEST_F(SplitSequence, RepeatsKeyHeadsWhereTheyAreFewerThanRanks) {
  plan_.context_kind = ContextKind::ulysses;
  plan_.context = 16;  // of 8 heads
  const double repeated = 2 * kTokens / 16 * 2 * 1024;
  EXPECT_EQ(layer_activations(model_, {}, plan_, kFused).total_bytes, whole_ / 16 + repeated);
}

TEST(WindowedLayer, KeepsTheSquareOfScoresUnfusedAndNoneFused) {
  Model model = preset_model("llama-3.1-8b");
  model.window = 512;
  Plan plan = plan_for(model, 1, 1, 1);
  const LayerKind windowed{.is_windowed = true};
  for (const KernelPolicy& kernels : {KernelPolicy{}, kFused}) {
    EXPECT_EQ(layer_activations(model, windowed, plan, kernels).total_bytes,
              layer_activations(model, {}, plan, kernels).total_bytes);
  }
}

}  // namespace
}  // namespace trainsim
