#include "workloads/presets.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace trainsim {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Reading {
  Model model;
  Diagnostics diagnostics;

  [[nodiscard]] std::string faults() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.all()) text += diagnostic.text() + "\n";
    return text;
  }
};

Reading read(const std::string& yaml) {
  const Document document = parse_document(yaml, "model.yaml");
  Reading reading;
  ReadContext context{document.file, reading.diagnostics};
  reading.model = read_transformer(document.root, "model.transformer", context);
  return reading;
}

TEST(Presets, AreAllReadable) {
  EXPECT_EQ(model_names().size(), 18U);
  for (const std::string& name : model_names()) EXPECT_EQ(preset_model(name).name, name);
}

TEST(Presets, MatchTheCountTheyName) {
  for (const std::string& name : model_names()) {
    const auto published = published_parameters(name);
    ASSERT_TRUE(published.has_value()) << name;
    const double tolerance = 5e-3;
    EXPECT_NEAR(parameter_count(preset_model(name)), *published, tolerance * *published) << name;
  }
}

TEST(Presets, WithExpertsNameTheirActiveParameters) {
  for (const std::string& name : model_names()) {
    EXPECT_EQ(published_active_parameters(name).has_value(), preset_model(name).experts.has_value()) << name;
  }
  EXPECT_TRUE(published_active_parameters("mixtral-8x7b")->counts_embedding);
  EXPECT_FALSE(published_active_parameters("gpt-oss-120b")->counts_embedding);
}

TEST(Presets, OfLaterKindsAreNamedButNotThere) {
  EXPECT_THAT(later_model_names(), Contains("resnet-50"));
  for (const std::string& name : later_model_names()) EXPECT_THAT(model_names(), Not(Contains(name)));
}

TEST(Presets, RefuseAnUnknownName) {
  EXPECT_THROW(preset_model("gpt-5"), std::out_of_range);
  EXPECT_THROW(published_parameters(""), std::out_of_range);
}

TEST(Transformer, FillsInTheDefaultsOfThePage) {
  const Reading reading = read("{layers: 2, hidden_size: 1024, attention_heads: 16, vocab_size: 32000}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  const Model& model = reading.model;
  EXPECT_EQ(model.ffn_hidden_size, 4096);
  EXPECT_EQ(model.kv_heads, 16);
  EXPECT_EQ(model.head_dim, 64);
  EXPECT_FALSE(model.tied_embeddings);
  EXPECT_EQ(model.position, PositionKind::rope);
  EXPECT_EQ(model.attention, AttentionKind::causal);
  EXPECT_EQ(model.norm, NormKind::layer_norm);
  EXPECT_TRUE(model.biases);
}

TEST(Transformer, OfAGatedMlpLooksLikeLlama) {
  const Reading reading =
      read("{layers: 32, hidden_size: 4096, attention_heads: 32, vocab_size: 32000, gated_mlp: true}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  EXPECT_EQ(reading.model.ffn_hidden_size, 11008);
  EXPECT_EQ(reading.model.norm, NormKind::rms_norm);
  EXPECT_FALSE(reading.model.biases);
  EXPECT_EQ(parameter_count(reading.model), 6'738'415'616.0);
}

TEST(Transformer, TakesWhatIsWrittenOut) {
  const Reading reading = read(
      "{layers: 2, hidden_size: 1000, ffn_hidden_size: 77, attention_heads: 12, kv_heads: 4, head_dim: 96, "
      "vocab_size: 10, gated_mlp: true, tied_embeddings: true, position: learned, max_positions: 512, "
      "attention: bidirectional, norm: layer_norm, biases: true, dropout: true}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  const Model& model = reading.model;
  EXPECT_EQ(model.ffn_hidden_size, 77);
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.head_dim, 96);
  EXPECT_TRUE(model.tied_embeddings && model.biases && model.dropout);
  EXPECT_EQ(model.position, PositionKind::learned);
  EXPECT_EQ(model.max_positions, 512);
  EXPECT_EQ(model.attention, AttentionKind::bidirectional);
  EXPECT_EQ(model.norm, NormKind::layer_norm);
}

TEST(Transformer, ReportsWhatIsMissing) {
  const std::string faults = read("{}").faults();
  for (const char* key : {"layers", "hidden_size", "attention_heads", "vocab_size"}) {
    EXPECT_THAT(faults, HasSubstr(std::string("model.transformer.") + key));
  }
}

TEST(Transformer, ReportsHeadsThatDoNotDivide) {
  const std::string faults =
      read("{layers: 2, hidden_size: 1000, attention_heads: 12, kv_heads: 5, vocab_size: 10}").faults();
  EXPECT_THAT(faults, HasSubstr("12 heads do not divide hidden_size 1000"));
  EXPECT_THAT(faults, HasSubstr("5 key-value heads do not divide 12 attention heads"));
}

constexpr const char* kSmall = "layers: 4, hidden_size: 64, attention_heads: 4, vocab_size: 10, gated_mlp: true, ";

Reading read_small(const std::string& more) { return read("{" + std::string(kSmall) + more + "}"); }

TEST(Transformer, ReadsAMixtureOfExperts) {
  const Reading reading = read_small(
      "moe: {experts: 8, top_k: 2, expert_ffn_hidden_size: 96, shared_experts: 1, every_n_layers: 2, "
      "first_dense_layers: 1, capacity_factor: 1.25, skew: 0.5}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  const Experts experts = reading.model.experts.value();
  EXPECT_EQ(experts.experts, 8);
  EXPECT_EQ(experts.top_k, 2);
  EXPECT_EQ(experts.ffn_hidden_size, 96);
  EXPECT_EQ(experts.shared_experts, 1);
  EXPECT_EQ(experts.every_n_layers, 2);
  EXPECT_EQ(experts.first_dense_layers, 1);
  EXPECT_EQ(experts.capacity_factor, 1.25);
  EXPECT_EQ(experts.power_law, 0.5);
}

TEST(Transformer, OfExpertsIsBalancedDroplessAndAsWideAsTheMlpUnlessToldOtherwise) {
  const Experts experts = read_small("ffn_hidden_size: 100, moe: {experts: 2, top_k: 1}").model.experts.value();
  EXPECT_EQ(experts.ffn_hidden_size, 100);
  EXPECT_EQ(experts.every_n_layers, 1);
  EXPECT_FALSE(experts.capacity_factor.has_value());
  EXPECT_THAT(experts.loads, IsEmpty());
  EXPECT_EQ(experts.power_law, 0);
}

TEST(Transformer, ReadsALoadForEachExpert) {
  const Reading reading = read_small("moe: {experts: 3, top_k: 1, skew: [1, 0.5, 0]}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  EXPECT_THAT(reading.model.experts->loads, ElementsAre(1, 0.5, 0));
}

TEST(Transformer, ReportsExpertsThatCannotBe) {
  const auto fault_of = [](const std::string& moe) { return read_small("moe: {" + moe + "}").faults(); };
  EXPECT_THAT(fault_of("experts: 4, top_k: 5"), HasSubstr("moe.top_k: a token cannot visit 5 of 4 experts; at most 4"));
  EXPECT_THAT(fault_of("experts: 4, top_k: 1, skew: [1, 2]"),
              HasSubstr("moe.skew: 2 loads, but the model has 4 experts"));
  EXPECT_THAT(fault_of("experts: 2, top_k: 1, skew: [0, 0]"), HasSubstr("moe.skew: no expert has any load"));
  EXPECT_THAT(fault_of("experts: 2, top_k: 1, skew: [1, -1]"), HasSubstr("moe.skew.1: '-1' is out of range"));
  EXPECT_THAT(fault_of("experts: 2, top_k: 1, skew: -1"), HasSubstr("moe.skew: '-1' is out of range"));
  EXPECT_THAT(fault_of("experts: 2, top_k: 1, capacity_factor: 0"), HasSubstr("moe.capacity_factor"));
  EXPECT_THAT(fault_of("experts: 2, top_k: 1, first_dense_layers: 4"),
              HasSubstr("moe.first_dense_layers: none of the model's 4 layers are left for experts; at most 3"));
  EXPECT_THAT(fault_of("experts: 2, top_k: 1, first_dense_layers: 2, every_n_layers: 3"),
              HasSubstr("moe.every_n_layers: none of the model's 4 layers are left for experts; at most 2"));
  EXPECT_THAT(fault_of("top_k: 1, skew: [1, 2], expert: 3"),
              AllOf(HasSubstr("moe.experts: missing"), HasSubstr("moe.expert: unknown key"), Not(HasSubstr("skew"))));
}

TEST(Transformer, ReadsLatentAttention) {
  const Reading reading =
      read_small("mla: {kv_lora_rank: 32, qk_nope_head_dim: 16, qk_rope_head_dim: 8, v_head_dim: 12}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  EXPECT_EQ(reading.model.latent->q_lora_rank, 0);
  EXPECT_EQ(reading.model.qk_dim(), 24);
  EXPECT_EQ(reading.model.v_dim(), 12);
  EXPECT_THAT(
      read_small("kv_heads: 2, biases: true, mla: {q_lora_rank: 8}").faults(),
      AllOf(HasSubstr("mla.kv_lora_rank: missing"), HasSubstr("biases with latent attention are not supported yet")));
}

TEST(Transformer, ReadsAWindowInSomeLayers) {
  const Reading reading = read_small("attention: {window: 128, every_n_layers: 2}");
  EXPECT_THAT(reading.faults(), IsEmpty());
  EXPECT_EQ(reading.model.window, 128);
  EXPECT_EQ(reading.model.window_every_n_layers, 2);
  EXPECT_EQ(reading.model.attention, AttentionKind::causal);
  EXPECT_EQ(read_small("attention: {window: 5}").model.window_every_n_layers, 1);
  EXPECT_THAT(read_small("attention: {windw: 5}").faults(),
              AllOf(HasSubstr("attention.window: missing"), HasSubstr("attention.windw: unknown key")));
}

TEST(Transformer, ReportsAPositionTableWithoutLearnedPositions) {
  const std::string faults =
      read("{layers: 2, hidden_size: 64, attention_heads: 4, vocab_size: 10, max_positions: 8}").faults();
  EXPECT_THAT(faults, HasSubstr("only learned positions have a table"));
}

TEST(Transformer, ReportsUnknownKeysAndWrongValues) {
  const std::string faults =
      read("{layers: 0, hidden_size: -1, attention_heads: 4, vocab_size: 10, position: rotary, gated: true}").faults();
  for (const char* key : {"layers", "hidden_size", "position", "gated"}) {
    EXPECT_THAT(faults, HasSubstr(std::string("model.transformer.") + key));
  }
}

}  // namespace
}  // namespace trainsim
