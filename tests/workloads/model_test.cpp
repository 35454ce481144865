#include "workloads/model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workloads/presets.hpp"

namespace trainsim {
namespace {

struct Published {
  const char* name;
  double parameters;
  double relative_tolerance;  // half a digit where the published figure is rounded
};

std::string name_of_model(const testing::TestParamInfo<Published>& instance) {
  std::string name = instance.param.name;
  for (char& letter : name) {
    if (letter == '-' || letter == '.') letter = '_';
  }
  return name;
}

class PublishedCount : public testing::TestWithParam<Published> {};

TEST_P(PublishedCount, IsTheParameterCount) {
  const Published& published = GetParam();
  EXPECT_NEAR(parameter_count(preset_model(published.name)), published.parameters,
              published.relative_tolerance * published.parameters);
}

// The figures of papers, model cards and checkpoints, written down here a second time on purpose.
INSTANTIATE_TEST_SUITE_P(
    Models, PublishedCount,
    testing::Values(Published{"gpt3-175b", 174.6e9, 3e-4}, Published{"gpt-22b", 22e9, 0.02},
                    Published{"gpt-530b", 529.6e9, 1e-4}, Published{"gpt-1t", 1008.0e9, 1e-4},
                    Published{"llama-2-7b", 6'738'415'616.0, 0}, Published{"llama-2-13b", 13'015'864'320.0, 0},
                    Published{"llama-2-70b", 68'976'648'192.0, 0}, Published{"llama-3.1-8b", 8'030'261'248.0, 0},
                    Published{"llama-3.1-70b", 70'553'706'496.0, 0}, Published{"llama-3.1-405b", 405'853'388'800.0, 0},
                    Published{"mpt-7b", 6'649'286'656.0, 0}, Published{"mpt-30b", 30e9, 0.017},
                    Published{"bert-large", 336'226'108.0, 0}, Published{"mixtral-8x7b", 46'702'792'704.0, 0},
                    Published{"deepseek-v3", 671.03e9, 1e-4}, Published{"qwen3-30b-a3b", 30'532'122'624.0, 1e-6},
                    Published{"qwen3-235b-a22b", 235'093'634'560.0, 1e-6}, Published{"gpt-oss-120b", 116.83e9, 1e-4}),
    name_of_model);

class PublishedActiveCount : public testing::TestWithParam<Published> {};

TEST_P(PublishedActiveCount, IsTheActiveParameterCount) {
  const Published& published = GetParam();
  const Model model = preset_model(published.name);
  const double unread =
      published_active_parameters(published.name)->counts_embedding ? 0 : vocabulary_parameters(model);
  EXPECT_NEAR(active_parameter_count(model) - unread, published.parameters,
              published.relative_tolerance * published.parameters);
}

// Qwen3's card cuts 3.35 billion off to 3.3; the others are within half a percent, or half of their last digit.
INSTANTIATE_TEST_SUITE_P(Models, PublishedActiveCount,
                         testing::Values(Published{"mixtral-8x7b", 12.9e9, 5e-3},
                                         Published{"deepseek-v3", 36.7e9, 5e-3},
                                         Published{"gpt-oss-120b", 5.13e9, 1e-3},
                                         Published{"qwen3-30b-a3b", 3.3e9, 0.017},
                                         Published{"qwen3-235b-a22b", 22e9, 0.02}),
                         name_of_model);

Model gpt2() {
  Model model;
  model.layers = 12;
  model.hidden_size = 768;
  model.ffn_hidden_size = 3072;
  model.attention_heads = model.kv_heads = 12;
  model.head_dim = 64;
  model.vocab_size = 50257;
  model.max_positions = 1024;
  model.tied_embeddings = true;
  model.biases = true;
  model.norm = NormKind::layer_norm;
  model.position = PositionKind::learned;
  return model;
}

TEST(ParameterCount, OfGpt2IsThatOfItsCheckpoint) { EXPECT_EQ(parameter_count(gpt2()), 124'439'808.0); }

TEST(ParameterCount, OfAnUntiedHeadAddsAVocabularyMatrix) {
  Model model = gpt2();
  model.tied_embeddings = false;
  EXPECT_EQ(parameter_count(model), 124'439'808.0 + 50257.0 * 768.0);
}

TEST(ParametersOfARank, AreTheMatricesShareAndAllOfTheNormsAndOutputBiases) {
  const Model model = gpt2();
  const double matrices = 12.0 * 768 * 768;
  const double split_biases = 3 * 768.0 + 3072.0;
  const double whole = 2 * 2 * 768.0 + 2 * 768.0;
  EXPECT_EQ(layer_parameters(model, {}, {}).dense, matrices + split_biases + whole);
  EXPECT_EQ(layer_parameters(model, {}, {.tensor = 4}).dense, (matrices + split_biases) / 4 + whole);
}

TEST(ParametersOfARank, RepeatKeyValueHeadsThatAreFewerThanTheRanks) {
  const Model model = preset_model("llama-3.1-8b");
  EXPECT_EQ(kv_heads_per_rank(model, 8), 1);
  EXPECT_EQ(kv_heads_per_rank(model, 16), 1);
  const double kv_matrices = 2 * 4096.0 * 128.0;
  const double other_matrices = 2 * 4096.0 * 4096.0 + 3 * 4096.0 * 14336.0;
  EXPECT_EQ(layer_parameters(model, {}, {.tensor = 16}).dense, other_matrices / 16 + kv_matrices + 2 * 4096.0);
}

TEST(ParametersOfARank, PadAVocabularyThatDoesNotDivide) {
  EXPECT_EQ(vocabulary_parameters(gpt2(), 8), 6283.0 * 768.0);  // 50257 / 8 = 6282.1
}

// 8 experts of 3 x 768 x 32 in every second of the last four layers, two of them visited; one shared.
Model small_mixture() {
  Model model = gpt2();
  model.layers = 6;
  model.gated_mlp = true;
  model.biases = false;
  Experts experts;
  experts.experts = 8;
  experts.top_k = 2;
  experts.ffn_hidden_size = 32;
  experts.shared_experts = 1;
  experts.every_n_layers = 2;
  experts.first_dense_layers = 2;
  model.experts = experts;
  return model;
}

TEST(ParametersOfARank, CountTheExpertsThatItHoldsApart) {
  const Model model = small_mixture();
  const double expert = 3 * 768.0 * 32;
  const Parameters whole = layer_parameters(model, {.has_experts = true});
  EXPECT_EQ(whole.expert, 8 * expert);
  EXPECT_EQ(whole.frozen, 0);
  const Parameters split =
      layer_parameters(model, {.has_experts = true}, {.tensor = 4, .expert_tensor = 2, .expert = 4});
  EXPECT_EQ(split.expert, whole.expert / 8);
  const double router_and_norms = 8 * 768.0 + 2 * 768.0;
  EXPECT_EQ(split.dense, (whole.dense - router_and_norms) / 4 + router_and_norms);
}

TEST(LayerKind, PutsExpertsInTheLastOfEveryNLayersAfterTheDenseOnes) {
  const Model model = small_mixture();
  std::vector<bool> has_experts;
  for (std::int64_t layer = 0; layer < model.layers; ++layer)
    has_experts.push_back(layer_kind(model, layer).has_experts);
  EXPECT_EQ(has_experts, (std::vector<bool>{false, false, false, true, false, true}));
}

TEST(LayerKind, PutsWindowsInTheFirstOfEveryNLayers) {
  Model model = gpt2();
  model.window = 128;
  model.window_every_n_layers = 2;
  EXPECT_TRUE(layer_kind(model, 0).is_windowed);
  EXPECT_FALSE(layer_kind(model, 1).is_windowed);
}

TEST(ActiveParameterCount, LeavesOutTheExpertsThatATokenDoesNotVisit) {
  const Model model = small_mixture();
  EXPECT_EQ(active_parameter_count(model), parameter_count(model) - 2 * 6 * 3 * 768.0 * 32);
  EXPECT_EQ(active_parameter_count(gpt2()), parameter_count(gpt2()));
}

// Parameters of rank-16 adapters on the 70B model's qkv and o: r (inputs + outputs) for each, in 80 layers.
TEST(TrainedParameterCount, IsThatOfTheAdaptersAlone) {
  Model model = preset_model("llama-2-70b");
  const double base = parameter_count(model);
  model.lora = Lora{.rank = 16, .qkv = true, .o = true};
  EXPECT_EQ(trained_parameter_count(model), 80 * 16 * (8192.0 + (8192 + 2 * 1024) + 8192.0 + 8192));
  EXPECT_EQ(parameter_count(model), base);
  EXPECT_EQ(layer_parameters(model, {}).expert, 0);
}

TEST(AttendedKeys, AreHalfOfTheSequenceOrTheWindow) {
  Model model = gpt2();
  model.window = 128;
  EXPECT_EQ(attended_keys(model, {}, 1024), 512);
  EXPECT_EQ(attended_keys(model, {.is_windowed = true}, 1024), 128 - 128.0 * 128 / 2048);
  EXPECT_EQ(attended_keys(model, {.is_windowed = true}, 64), 32);
  model.attention = AttentionKind::bidirectional;
  EXPECT_EQ(attended_keys(model, {}, 1024), 1024);
}

// 72 l h^2 (1 + s/(12 h) + V/(12 l h)) per token: the published formula for GPT with half its attention term.
TEST(ModelFlops, OfGptFollowTheCausalFormOfThePublishedFormula) {
  const double l = 96, h = 12288, s = 2048, v = 51200;
  const double expected = 72 * l * h * h * (1 + s / (12 * h) + v / (12 * l * h));
  EXPECT_NEAR(model_flops_per_token(preset_model("gpt3-175b"), 2048), expected, 1e-12 * expected);
  EXPECT_NEAR(expected, 1.062e12, 0.001e12);
}

TEST(ModelFlops, OfABidirectionalModelCountAllScores) {
  Model model = preset_model("gpt3-175b");
  model.attention = AttentionKind::bidirectional;
  const double l = 96, h = 12288, s = 2048, v = 51200;
  const double expected = 72 * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
  EXPECT_NEAR(model_flops_per_token(model, 2048), expected, 1e-12 * expected);
}

TEST(ModelFlops, OfGroupedQueriesAndAGatedMlpAreTheHandCount) {
  // Matrices of a layer: q and o 2 x 4096 x 4096, k and v 2 x 4096 x 1024, MLP 3 x 4096 x 14336.
  const double products = 6 * (32.0 * 218'103'808.0 + 128256.0 * 4096.0);
  const double attention = 6 * 32.0 * 8192.0 * 4096.0;
  EXPECT_EQ(model_flops_per_token(preset_model("llama-3.1-8b"), 8192), products + attention);
}

TEST(ModelFlops, DoNotDependOnWhetherTheEmbeddingIsTied) {
  Model model = gpt2();
  const double tied = model_flops_per_token(model, 1024);
  model.tied_embeddings = false;
  EXPECT_EQ(model_flops_per_token(model, 1024), tied);
}

TEST(ModelFlops, OfExpertsCountThoseThatATokenVisits) {
  Model visited = small_mixture();
  visited.experts->experts = 2;
  const double router = 6 * 2 * 6 * 768.0;  // 6 experts fewer to choose from, in two layers
  EXPECT_EQ(model_flops_per_token(small_mixture(), 1024), model_flops_per_token(visited, 1024) + router);
}

TEST(ModelFlops, OfLatentAttentionAreTheHandCount) {
  // DeepSeek-V3's paper does not give them: matrices of the active parameters without embedding and norms, and scores
  // over heads of 192 with values of 128.
  const Model model = preset_model("deepseek-v3");
  const double norms = 61.0 * (2 * 7168 + 1536 + 512) + 7168;
  const double matrices = active_parameter_count(model) - vocabulary_parameters(model) - norms;
  const double attention = 61 * 128.0 * (192 + 128) * 2048;
  EXPECT_NEAR(model_flops_per_token(model, 4096), 6 * matrices + 6 * attention, 1.0);
}

}  // namespace
}  // namespace trainsim
