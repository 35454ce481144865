#include "workloads/presets.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace trainsim {
namespace {

using testing::Contains;
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
  EXPECT_EQ(model_names().size(), 13U);
  for (const std::string& name : model_names()) EXPECT_EQ(preset_model(name).name, name);
}

TEST(Presets, MatchTheCountTheyName) {
  for (const std::string& name : model_names()) {
    const auto published = published_parameters(name);
    ASSERT_TRUE(published.has_value()) << name;
    const double tolerance = *published == 22e9 || *published == 30e9 ? 0.02 : 1e-3;
    EXPECT_NEAR(parameter_count(preset_model(name)), *published, tolerance * *published) << name;
  }
}

TEST(Presets, OfLaterKindsAreNamedButNotThere) {
  EXPECT_THAT(later_model_names(), Contains("mixtral-8x7b"));
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

TEST(Transformer, ReportsWhatIsNotSupportedYet) {
  const std::string faults =
      read(
          "{layers: 2, hidden_size: 64, attention_heads: 4, vocab_size: 10, attention: {window: 4096}, "
          "moe: {experts: 8}, mla: {q_lora_rank: 8}}")
          .faults();
  EXPECT_THAT(faults, HasSubstr("model.transformer.attention.window"));
  EXPECT_THAT(faults, HasSubstr("model.transformer.moe"));
  EXPECT_THAT(faults, HasSubstr("model.transformer.mla"));
  EXPECT_THAT(faults, HasSubstr("not supported yet"));
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
