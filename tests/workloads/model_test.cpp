#include "workloads/model.hpp"

#include <gtest/gtest.h>

#include <string>

#include "workloads/presets.hpp"

namespace trainsim {
namespace {

struct Published {
  const char* name;
  double parameters;
  double relative_tolerance;  // half a digit where the published figure is rounded
};

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
                    Published{"bert-large", 336'226'108.0, 0}),
    [](const auto& instance) {
      std::string name = instance.param.name;
      for (char& letter : name) {
        if (letter == '-' || letter == '.') letter = '_';
      }
      return name;
    });

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

TEST(ParameterCount, OfQkvBiasesAddsOnlyTheirs) {
  Model model = preset_model("llama-3.1-8b");
  const double without = layer_parameters(model);
  model.qkv_biases = true;
  EXPECT_EQ(layer_parameters(model) - without, 4096.0 + 2 * 1024.0);
}

TEST(ParametersOfARank, AreTheMatricesShareAndAllOfTheNormsAndOutputBiases) {
  const Model model = gpt2();
  const double matrices = 12.0 * 768 * 768;
  const double split_biases = 3 * 768.0 + 3072.0;
  const double whole = 2 * 2 * 768.0 + 2 * 768.0;
  EXPECT_EQ(layer_parameters(model, 1), matrices + split_biases + whole);
  EXPECT_EQ(layer_parameters(model, 4), (matrices + split_biases) / 4 + whole);
}

TEST(ParametersOfARank, RepeatKeyValueHeadsThatAreFewerThanTheRanks) {
  const Model model = preset_model("llama-3.1-8b");
  EXPECT_EQ(kv_heads_per_rank(model, 8), 1);
  EXPECT_EQ(kv_heads_per_rank(model, 16), 1);
  const double kv_matrices = 2 * 4096.0 * 128.0;
  const double other_matrices = 2 * 4096.0 * 4096.0 + 3 * 4096.0 * 14336.0;
  EXPECT_EQ(layer_parameters(model, 16), other_matrices / 16 + kv_matrices + 2 * 4096.0);
}

TEST(ParametersOfARank, PadAVocabularyThatDoesNotDivide) {
  EXPECT_EQ(vocabulary_parameters(gpt2(), 8), 6283.0 * 768.0);  // 50257 / 8 = 6282.1
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

}  // namespace
}  // namespace trainsim
