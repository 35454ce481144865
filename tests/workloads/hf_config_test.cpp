// Is a Hugging Face config.json the model that the same checkpoint's preset is?
#include <gmock/gmock.h>

#include <string>

#include "workloads/presets.hpp"
#include "workloads/read_hf_config.hpp"

namespace trainsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

struct Reading {
  Model model;
  std::string faults;
};

Reading read(const std::string& json) {
  const Document document = parse_document(json, "config.json");
  Diagnostics diagnostics;
  ReadContext context{document.file, diagnostics};
  Reading reading{read_hf_config(document.root, context), ""};
  for (const Diagnostic& diagnostic : diagnostics.all()) reading.faults += diagnostic.text() + "\n";
  return reading;
}

// What the published files say, without the keys that no model has a place for.
constexpr const char* kLlama = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
  "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
  "num_key_value_heads": 8, "rope_scaling": {"factor": 8.0}, "rms_norm_eps": 1e-05, "tie_word_embeddings": false,
  "attention_bias": false, "vocab_size": 128256})";

constexpr const char* kMixtral = R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
  "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
  "num_experts_per_tok": 2, "sliding_window": null, "vocab_size": 32000})";

constexpr const char* kQwen = R"({"model_type": "qwen3_moe", "decoder_sparse_step": 1, "head_dim": 128,
  "hidden_size": 2048, "intermediate_size": 6144, "mlp_only_layers": [], "moe_intermediate_size": 768,
  "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48,
  "num_key_value_heads": 4, "sliding_window": null, "use_sliding_window": false, "vocab_size": 151936})";

constexpr const char* kDeepSeek = R"({"model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_size": 7168,
  "intermediate_size": 18432, "kv_lora_rank": 512, "moe_intermediate_size": 2048, "moe_layer_freq": 1,
  "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8,
  "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536,
  "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280})";

constexpr const char* kGptOss = R"({"model_type": "gpt_oss", "attention_bias": true, "head_dim": 64,
  "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64, "num_experts_per_tok": 4,
  "num_hidden_layers": 36, "num_key_value_heads": 8, "num_local_experts": 128, "sliding_window": 128,
  "vocab_size": 201088})";

constexpr const char* kMpt = R"({"model_type": "mpt", "attn_config": {"alibi": true, "attn_type":
  "multihead_attention"}, "d_model": 4096, "expansion_ratio": 4, "max_seq_len": 2048, "n_heads": 32, "n_layers": 32,
  "no_bias": true, "vocab_size": 50432})";

struct Checkpoint {
  const char* preset;
  const char* config;
};

class HfConfig : public testing::TestWithParam<Checkpoint> {};

TEST_P(HfConfig, IsTheModelOfThePreset) {
  const Reading reading = read(GetParam().config);
  EXPECT_THAT(reading.faults, IsEmpty());
  const Model preset = preset_model(GetParam().preset);
  EXPECT_EQ(parameter_count(reading.model), parameter_count(preset));
  EXPECT_EQ(active_parameter_count(reading.model), active_parameter_count(preset));
  EXPECT_EQ(model_flops_per_token(reading.model, 4096), model_flops_per_token(preset, 4096));
  EXPECT_EQ(reading.model.position, preset.position);
  EXPECT_EQ(reading.model.dropout, preset.dropout);
}

INSTANTIATE_TEST_SUITE_P(Models, HfConfig,
                         testing::Values(Checkpoint{"llama-3.1-8b", kLlama}, Checkpoint{"mixtral-8x7b", kMixtral},
                                         Checkpoint{"qwen3-30b-a3b", kQwen}, Checkpoint{"deepseek-v3", kDeepSeek},
                                         Checkpoint{"gpt-oss-120b", kGptOss}, Checkpoint{"mpt-7b", kMpt}));

TEST(HfConfigOfGpt2, HasTheParametersOfItsCheckpoint) {
  const Reading reading = read(
      R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_inner": null, "n_positions": 1024,
          "vocab_size": 50257})");
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(parameter_count(reading.model), 124'439'808.0);
  EXPECT_TRUE(reading.model.dropout);
}

// 6.857 billion: the figure of its paper (arXiv 2304.01373, table 1) for Pythia 6.9B.
TEST(HfConfigOfGptNeox, HasTheParametersOfItsCheckpoint) {
  const Reading reading = read(
      R"({"model_type": "gpt_neox", "hidden_size": 4096, "intermediate_size": 16384, "num_attention_heads": 32,
          "num_hidden_layers": 32, "vocab_size": 50432, "tie_word_embeddings": false, "use_parallel_residual": true})");
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_NEAR(parameter_count(reading.model), 6.857e9, 1e-3 * 6.857e9);
  EXPECT_FALSE(reading.model.dropout);
}

TEST(HfConfigWindows, FollowTheListOfLayers) {
  const auto with_layers = [](const std::string& types) {
    return read(R"({"model_type": "mistral", "hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4,
                    "num_hidden_layers": 4, "vocab_size": 10, "sliding_window": 16, "layer_types": [)" +
                types + "]}");
  };
  const std::string s = "\"sliding_attention\"";
  const std::string f = "\"full_attention\"";
  EXPECT_EQ(with_layers(s + "," + f + "," + s + "," + f).model.window_every_n_layers, 2);
  EXPECT_EQ(with_layers(s + "," + s + "," + s + "," + s).model.window_every_n_layers, 1);
  EXPECT_EQ(with_layers(f + "," + f + "," + f + "," + f).model.window, 0);
  EXPECT_THAT(with_layers(f + "," + s + "," + f + "," + s).faults,
              HasSubstr("layer_types: this pattern of windowed layers is not supported yet"));
  EXPECT_THAT(with_layers(s + "," + s + "," + f + "," + f).faults, HasSubstr("layer_types"));
}

TEST(HfConfigFaults, AreLocated) {
  EXPECT_THAT(read("{}").faults, HasSubstr("config.json:1:1: model_type: missing"));
  EXPECT_THAT(read(R"({"model_type": "mamba"})").faults,
              AllOf(HasSubstr("config.json:1:16: model_type: unknown value 'mamba'"), HasSubstr("qwen3_moe")));
  EXPECT_THAT(read(R"({"model_type": "llama", "hidden_size": 64})").faults,
              AllOf(HasSubstr("num_hidden_layers: missing"), HasSubstr("vocab_size: missing")));
  EXPECT_THAT(read(R"({"model_type": "gpt2", "n_embd": "768", "n_head": 5, "n_layer": 2, "n_positions": 8,
                       "vocab_size": 10})")
                  .faults,
              HasSubstr("config.json:1:34: n_embd: '768': text in quotes"));
  EXPECT_THAT(read("[]").faults, HasSubstr("a list where a map of keys is due"));
}

}  // namespace
}  // namespace trainsim
