// Is every kind of mistake in a scenario file a message that says where it is, what is wrong and what is allowed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/scenarios/format_fixture.hpp"
#include "workloads/presets.hpp"

namespace trainsim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Mistake {
  std::string text;      // of the file
  std::string messages;  // all of them
};

class FormatRefusal : public FormatFixture {
 protected:
  void expect(const std::vector<Mistake>& mistakes) const {
    for (const Mistake& mistake : mistakes) EXPECT_EQ(refusal(mistake.text), mistake.messages) << mistake.text;
  }
  // For messages that end in a long list of names.
  void expect_start(const std::vector<Mistake>& mistakes) const {
    for (const Mistake& mistake : mistakes) EXPECT_THAT(refusal(mistake.text), StartsWith(mistake.messages));
  }
};

TEST_F(FormatRefusal, OfFilesThatCannotBeRead) {
  const std::filesystem::path folder = file().parent_path();
  EXPECT_EQ(refusal_of(folder / "missing.yaml"), "f: no such file");
  EXPECT_EQ(refusal_of(folder), "f: is a directory; name a file");
  EXPECT_EQ(refusal_of("/dev/null"), "f: is not a regular file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(folder / "pipe"), "f: is not a regular file");
  std::ofstream(folder / "large.yaml") << "a";
  std::filesystem::resize_file(folder / "large.yaml", (std::uintmax_t{16} << 20U) + 1);
  EXPECT_EQ(refusal_of(folder / "large.yaml"), "f: too large; at most 16 MiB");
}

TEST_F(FormatRefusal, OfTextThatIsNoScenario) {
  expect({{"", "f:1:1: empty; a file holds one YAML document"},
          {"# nothing but a comment\n", "f:1:1: empty; a file holds one YAML document"},
          {good_and("name: \xFF\n"), "f:14:7: not UTF-8 text; a scenario is UTF-8 text"},
          {good_and(std::string("name: a\0b\n", 10)), "f:14:8: a NUL character; a scenario is UTF-8 text"},
          {good_and("---\nname: second\n"),
           "f:14:1: a second document, or text after the end of the first; a file holds one document"},
          {"[1, 2]\n", "f:1:1: a list where a map of keys is due"},
          {"just words\n", "f:1:1: a word where a map of keys is due"}});
  EXPECT_THAT(refusal("trainsim: 1\nmodel: {preset: x\n"), HasSubstr("not valid YAML"));
}

TEST_F(FormatRefusal, OfYamlThatHidesWhatIsMeant) {
  expect({{good_with("64", "&batch 64"),
           "f:5:22: training.global_batch_size: anchors are refused; write the value out where it is used"},
          {good_with("tensor: 2", "tensor: !!int 2"),
           "f:10:11: parallelism.tensor: tags are refused; quote a word to make it text"},
          {good_with("  tensor: 2", "  <<: {pipeline: 2}"),
           "f:10:3: parallelism.<<: merge keys are refused; write the entries out"},
          {good_with("  tensor: 2\n", "  tensor: 2\n  tensor: 4\n"),
           "f:11:3: parallelism.tensor: duplicate key; each key once in its map"},
          {good_and("name: \"never closed\n"), "f:14:7: name: a quote that is never closed"}});
  std::string bomb = "a: &a [x, x, x, x]\n";
  for (char name = 'b'; name < 'k'; ++name) {
    const char last = static_cast<char>(name - 1);
    bomb += std::string(1, name) + ": &" + name + " [*" + last + ", *" + last + ", *" + last + "]\n";
  }
  EXPECT_THAT(refusal(bomb), StartsWith("f:1:4: a: anchors are refused"));
  EXPECT_THAT(refusal("trainsim: " + std::string(100'000, '[')), HasSubstr("nested too deeply; at most 32 levels"));
}

TEST_F(FormatRefusal, OfMissingSectionsAndKeys) {
  expect({{"{}",
           "f:1:1: trainsim: missing; this key is required\n"
           "f:1:1: model: missing; this key is required\n"
           "f:1:1: training: missing; this key is required\n"
           "f:1:1: cluster: missing; this key is required"},
          {good_with("trainsim: 1\n", ""), "f:1:1: trainsim: missing; this key is required"},
          {good_with("  precision: bf16\n", ""), "f:5:3: training.precision: missing; this key is required"},
          {good_with("  nodes: 8\n", ""), "f:12:3: cluster: missing: nodes | gpus; exactly one of them"},
          {good_with("  node: hgx-h100\n", ""), "f:12:3: cluster.node: missing; this key is required"},
          {good_with("  tensor: 2\n", ""), "f:9:1: parallelism: nothing where a map of keys is due"}});
}

TEST_F(FormatRefusal, OfUnknownVersionsWithoutFurtherComplaints) {
  expect({{good_with("trainsim: 1", "trainsim: 2\nwhatever: 1"),
           "f:1:11: trainsim: unknown version 2; this trainsim reads version 1"},
          {good_with("trainsim: 1", "trainsim: one"),
           "f:1:11: trainsim: 'one': not a number; a whole number, at least 0"}});
}

TEST_F(FormatRefusal, OfUnknownKeys) {
  expect({{good_with("tensor: 2", "tensr: 2"), "f:10:3: parallelism.tensr: unknown key; did you mean 'tensor'?"},
          {good_with("parallelism:", "paralelism:"), "f:9:1: paralelism: unknown key; did you mean 'parallelism'?"},
          {good_and("  fabric: {oversubscripton: 2}\n"),
           "f:14:12: cluster.fabric.oversubscripton: unknown key; did you mean 'oversubscription'?"}});
  EXPECT_THAT(refusal(good_and("wibble: 1\n")), StartsWith("f:14:1: wibble: unknown key; known keys: "));
}

TEST_F(FormatRefusal, OfUnknownNames) {
  expect_start(
      {{good_with("llama-3.1-8b", "llama-3.1-8"),
        "f:3:11: model.preset: unknown value 'llama-3.1-8', did you mean 'llama-3.1-8b'?; allowed: "},
       {good_with("hgx-h100", "hgx-h10"), "f:13:9: cluster.node: unknown name 'hgx-h10'; did you mean 'hgx-h100'? "},
       {good_and("software: {stack: megatron-cor}\n"),
        "f:14:19: software.stack: unknown value 'megatron-cor', did you mean 'megatron-core'?; allowed: "},
       {good_with("node: hgx-h100", "node: {base: hgx-h100, accelerator: h100-sx}"),
        "f:13:39: cluster.node.accelerator: unknown name 'h100-sx'; did you mean 'h100-sxm'? "}});
}

TEST_F(FormatRefusal, OfUnitsThatAreMissingWrongOrUnknown) {
  const std::string bandwidth = "; a bandwidth such as 400Gb/s or 900GB/s";
  expect({{good_and("  fabric: {link: 400}\n"),
           "f:14:18: cluster.fabric.link: '400': a number without a unit" + bandwidth},
          {good_and("  fabric: {link: 400GB}\n"),
           "f:14:18: cluster.fabric.link: '400GB': an amount of data where a bandwidth is due" + bandwidth},
          {good_and("  fabric: {link: 400Gbs}\n"),
           "f:14:18: cluster.fabric.link: '400Gbs': unknown unit 'Gbs', did you mean 'Gb/s'?" + bandwidth},
          {good_and("  fabric: {link: -1GB/s}\n"),
           "f:14:18: cluster.fabric.link: '-1GB/s' is out of range; at least 1kB/s"},
          {good_and("  fabric: {latency: 1.5}\n"),
           "f:14:21: cluster.fabric.latency: '1.5': a number without a unit; a time such as 5us, 0.8s or 3.5h"},
          {good_with("8192", "8192B"),
           "f:7:20: training.sequence_length: '8192B': a quantity with a unit where a plain number is due; a whole "
           "number, 1 to 100000000"}});
}

TEST_F(FormatRefusal, OfNumbersThatAreNone) {
  const std::string degree = "; a whole number, 1 to 1048576";
  expect({{good_with("tensor: 2", "tensor: .nan"),
           "f:10:11: parallelism.tensor: '.nan': NaN and infinities are refused" + degree},
          {good_with("tensor: 2", "tensor: 007"),
           "f:10:11: parallelism.tensor: '007': a number with leading zeros" + degree},
          {good_with("tensor: 2", "tensor: 0x10"),
           "f:10:11: parallelism.tensor: '0x10': hexadecimal, octal and binary numbers are refused" + degree},
          {good_with("tensor: 2", "tensor: 1_000"),
           "f:10:11: parallelism.tensor: '1_000': not a number (underscores are refused)" + degree},
          {good_with("tensor: 2", "tensor: \"2\""), "f:10:11: parallelism.tensor: '2': text in quotes" + degree},
          {good_with("tensor: 2", "tensor: [2]"), "f:10:11: parallelism.tensor: a list where a whole number is due"},
          {good_with("tensor: 2", "tensor: 2.5"),
           "f:10:11: parallelism.tensor: '2.5' is not written as a whole number" + degree},
          {good_and("software: {tuning: {gemm_efficiency_factor: inf}}\n"),
           "f:14:45: software.tuning.gemm_efficiency_factor: 'inf': NaN and infinities are refused; a plain number"},
          {good_with("precision: bf16", "precision: bf16\n  length: {tokens: 1e999}"),
           "f:9:20: training.length.tokens: '1e999': a number too large or too small to represent; a count such as "
           "300e9, 300B or 15T"}});
}

TEST_F(FormatRefusal, OfImpossibleDegreesAndHugeNumbers) {
  expect({{good_with("tensor: 2", "tensor: 0"),
           "f:10:11: parallelism.tensor: '0' is out of range; a whole number, 1 to 1048576"},
          {good_with("tensor: 2", "tensor: -8"),
           "f:10:11: parallelism.tensor: '-8' is out of range; a whole number, 1 to 1048576"},
          {good_with("nodes: 8", "nodes: 1048577"),
           "f:12:10: cluster.nodes: '1048577' is out of range; a whole number, 1 to 1048576"},
          {good_with("nodes: 8", "nodes: 99999999999999999999999"),
           "f:12:10: cluster.nodes: '99999999999999999999999' is out of range; a whole number, 1 to 1048576"},
          {good_and("simulation: {repetitions: 1000001}\n"),
           "f:14:27: simulation.repetitions: '1000001' is out of range; a whole number, 1 to 1000000"},
          {good_with("preset: llama-3.1-8b",
                     "transformer: {layers: 10001, hidden_size: 64, attention_heads: 8, vocab_size: 100}"),
           "f:3:25: model.transformer.layers: '10001' is out of range; a whole number, 1 to 10000"},
          {good_with("tensor: 2", "layers_per_stage: [1, 10001]"),
           "f:10:25: parallelism.layers_per_stage.1: '10001' is out of range; a whole number, 0 to 10000"}});
}

TEST_F(FormatRefusal, OfFormsThatExcludeEachOther) {
  expect(
      {{good_with("preset: llama-3.1-8b", "{}"),
        "f:3:3: model: missing: preset | transformer | hf_config | cnn | recommender | layers | trace; exactly one of "
        "them"},
       {good_with("nodes: 8", "nodes: 8\n  gpus: 64"), "f:13:9: cluster.gpus: given beside nodes; one of nodes | gpus"},
       {good_with("precision: bf16", "precision: bf16\n  length: {tokens: 1e9, steps: 3}"),
        "f:9:32: training.length.steps: given beside tokens; one of tokens | steps | samples | epochs"},
       {good_with("precision: bf16", "precision: bf16\n  length: {epochs: 2}"),
        "f:9:11: training.length.dataset_samples: missing; this key is required"},
       {good_with("precision: bf16", "precision: bf16\n  length: {steps: 2, dataset_samples: 5}"),
        "f:9:39: training.length.dataset_samples: given without epochs; {epochs: N, dataset_samples: N}"},
       {good_and("conditions: {stragglers: [{gpu: 1, fraction: 0.1, speed: 0.5}]}\n"),
        "f:14:46: conditions.stragglers.0.fraction: given beside gpu; one of gpu | fraction"},
       {good_and("conditions: {tenants: [{name: x}]}\n"),
        "f:14:24: conditions.tenants.0: missing: traffic | share; exactly one of them"}});
}

TEST_F(FormatRefusal, OfListsThatDoNotAddUp) {
  const std::string axes = "; each of tensor, context, data and pipeline once";
  expect(
      {{good_with("tensor: 2", "order: [tensor, data]"),
        "f:10:10: parallelism.order: 2 axes where four are due" + axes},
       {good_with("tensor: 2", "order: [tensor, tensor, data, pipeline]"),
        "f:10:19: parallelism.order.1: 'tensor' a second time" + axes},
       {good_with("tensor: 2", "order: [tensor, contxt, data, pipeline]"),
        "f:10:19: parallelism.order.1: unknown value 'contxt', did you mean 'context'?; allowed: tensor | context | "
        "data | pipeline"},
       {good_with("tensor: 2", "order: tensor"), "f:10:10: parallelism.order: a word where a list is due"},
       {good_with("tensor: 2", "layers_per_stage: some"),
        "f:10:21: parallelism.layers_per_stage: neither auto nor a list; auto, or one entry per chunk in model order"},
       {good_and("  fabric: {levels: []}\n"),
        "f:14:20: cluster.fabric.levels: an empty list; at least one level, or no levels at all"},
       {good_and("  fabric: {levels: [{name: leaf}, {name: leaf}]}\n"),
        "f:14:21: cluster.fabric.levels.0: missing: ports | gpus; only the last level spans everything by itself\n"
        "f:14:42: cluster.fabric.levels.1.name: 'leaf' a second time; each level its own name"}});
}

TEST_F(FormatRefusal, OfConditionsThatCannotBe) {
  expect(
      {{good_and("conditions: {tenants: [{share: 1.5, of: spine}]}\n"),
        "f:14:32: conditions.tenants.0.share: '1.5' is out of range; above 0 and at most 1"},
       {good_and("conditions: {tenants: [{share: 0.5}]}\n"),
        "f:14:24: conditions.tenants.0.of: missing; this key is required"},
       {good_and("conditions: {tenants: [{share: 0.5, of: spine, busy: 2s}]}\n"),
        "f:14:24: conditions.tenants.0.quiet: missing; this key is required"},
       {good_and("conditions: {tenants: [{name: x, share: 0.1, of: leaf}, {name: x, share: 0.1, of: leaf}]}\n"),
        "f:14:64: conditions.tenants.1.name: 'x' a second time; each tenant its own name"},
       {good_and(
            "conditions: {tenants: [{nodes: 2, traffic: {kind: gossip, bytes: 1GB, every: 1s}, from: 2s, to: 1s}]}\n"),
        "f:14:51: conditions.tenants.0.traffic.kind: unknown value 'gossip'; allowed: all-reduce | all-gather | "
        "reduce-scatter | all-to-all | broadcast\n"
        "f:14:97: conditions.tenants.0.to: not after from; a later time, or no end at all"},
       {good_and("conditions: {stragglers: [{gpu: 3, speed: 0}]}\n"),
        "f:14:43: conditions.stragglers.0.speed: '0' is out of range; at least 0.001 and at most 1"},
       {good_and("conditions: {links: [{match: nodeX}]}\n"),
        "f:14:22: conditions.links.0.bandwidth_factor: missing; this key is required"}});
}

TEST_F(FormatRefusal, ReportsThreeErrorsOfOneFileTogether) {
  expect(
      {{"trainsim: 1\n"
        "model: {preset: gpt3-175b}\n"
        "training: {global_batch_size: 0, micro_batch_size: 1, sequence_length: 2048, precision: bf61}\n"
        "cluster: {nodes: 8, node: hgx-h100, fabric: {link: 5us}}\n",
        "f:3:31: training.global_batch_size: '0' is out of range; a whole number, 1 to 1000000000\n"
        "f:3:89: training.precision: unknown value 'bf61', did you mean 'bf16'?; allowed: fp32 | tf32 | fp16 | bf16 | "
        "fp8 | "
        "mxfp8 | nvfp4\n"
        "f:4:52: cluster.fabric.link: '5us': a time where a bandwidth is due; a bandwidth such as 400Gb/s or "
        "900GB/s"}});
}

TEST_F(FormatRefusal, EscapesControlCharactersOfTheFile) {
  expect({{good_with("bf16", "\"b\\x1b[31m\\n16\""),
           "f:8:14: training.precision: unknown value 'b\\x1b[31m\\n16'; allowed: fp32 | tf32 | fp16 | bf16 | fp8 | "
           "mxfp8 | nvfp4"}});
}

TEST_F(FormatRefusal, OfLaterModelsByName) {
  expect({{good_with("preset: llama-3.1-8b", "cnn: {}"), "f:3:8: model.cnn: not supported yet"},
          {good_with("preset: llama-3.1-8b", "trace: t.json"), "f:3:10: model.trace: not supported yet"}});
  for (const std::string& name : later_model_names()) {
    EXPECT_THAT(refusal(good_with("llama-3.1-8b", name)),
                StartsWith("f:3:11: model.preset: '" + name + "' is not supported yet"));
  }
}

TEST_F(FormatRefusal, OfExpertsThatAreInconsistent) {
  const std::string transformer = "transformer: {layers: 4, hidden_size: 64, attention_heads: 8, vocab_size: 100, ";
  expect({{good_with("preset: llama-3.1-8b", transformer + "moe: {experts: 8}}"),
           "f:3:87: model.transformer.moe.top_k: missing; this key is required"},
          {good_with("preset: llama-3.1-8b", transformer + "moe: {experts: 4, top_k: 8, skew: [1, 2, 3]}}"),
           "f:3:107: model.transformer.moe.top_k: a token cannot visit 8 of 4 experts; at most 4\n"
           "f:3:116: model.transformer.moe.skew: 3 loads, but the model has 4 experts; a load for each expert, or the "
           "exponent of a power law"}});
}

TEST_F(FormatRefusal, OfAdaptersThatCannotBe) {
  const auto with_lora = [](const std::string& model, const std::string& lora) {
    return good_with("llama-3.1-8b", model + "\n  lora: " + lora);
  };
  expect({{with_lora("llama-3.1-8b", "{rank: 16, targets: [qkv, x]}"),
           "f:4:35: model.lora.targets.1: unknown value 'x'; allowed: q | k | v | qkv | o | mlp | all"},
          {with_lora("llama-3.1-8b", "{targets: []}"),
           "f:4:9: model.lora.rank: missing; this key is required\n"
           "f:4:19: model.lora.targets: an empty list; at least one of q, k, v, qkv, o, mlp, all"},
          {with_lora("llama-3.1-8b", "{rank: 4, targets: [all, v]}"),
           "f:4:28: model.lora.targets: qkv beside q, k or v; one adapter for all three, or one for each"},
          {with_lora("mixtral-8x7b", "{rank: 4, targets: [o]}"),
           "f:4:9: model.lora: adapters beside experts are not supported yet; a model without moe"},
          {with_lora("deepseek-v3", "{rank: 4, targets: [o]}"),
           "f:4:9: model.lora: adapters beside experts are not supported yet; a model without moe\n"
           "f:4:9: model.lora: adapters on latent attention are not supported yet; a model without mla"}});
}

TEST_F(FormatRefusal, OfAHuggingFaceConfigPointsIntoThatFile) {
  const std::string text = good_with("preset: llama-3.1-8b", "hf_config: config.json");
  EXPECT_EQ(refusal(text), "f:3:14: model.hf_config: 'config.json': no such file");
  const std::filesystem::path config = file().parent_path() / "config.json";
  std::ofstream(config) << "{\"model_type\": \"mamba\"}\n";
  EXPECT_THAT(refusal(text), StartsWith(config.string() + ":1:16: model_type: unknown value 'mamba'"));
  std::ofstream(config) << "{\"model_type\": }{\n";
  EXPECT_THAT(refusal(text), StartsWith(config.string() + ":1:"));
}

TEST_F(FormatRefusal, OfTrainingThatCannotBe) {
  const auto with_line = [](const std::string& precision, const std::string& line) {
    return good_with("precision: bf16", "precision: " + precision + "\n  " + line);
  };
  expect({{with_line("bf16", "scaling: current"),
           "f:9:12: training.scaling: operands in bf16 are not scaled; precision fp8, mxfp8 or nvfp4"},
          {with_line("mxfp8", "scaling: delayed"), "f:9:12: training.scaling: mxfp8 scales blocks; blockwise"},
          {with_line("fp8", "scaling: block"),
           "f:9:12: training.scaling: unknown value 'block'; allowed: delayed | current | blockwise"},
          {with_line("bf16", "optimizer: {kind: adam8bit, state: fp32}"),
           "f:9:38: training.optimizer.state: adam8bit keeps its state in 8 bits; fp8, or adam with this state"},
          {with_line("bf16", "optimizer: {kind: sgd, state: bf16}"),
           "f:9:33: training.optimizer.state: sgd keeps no state; no state, or momentum"},
          {with_line("bf16", "optimizer: {kind: adafactor, state: bf16}"),
           "f:9:39: training.optimizer.state: adafactor keeps its row and column sums in fp32; fp32"},
          {with_line("bf16", "dataset: {bytes_per_sample: 4}"),
           "f:9:12: training.dataset: not supported yet\n"
           "f:9:31: training.dataset.bytes_per_sample: '4': a number without a unit; an amount of data such as 80GB or "
           "64MiB"}});
}

TEST_F(FormatRefusal, OfLaterParallelismByName) {
  expect({{good_with("tensor: 2", "schedule: zero-bubble"),
           "f:10:13: parallelism.schedule: 'zero-bubble' is not supported yet; allowed: gpipe | 1f1b | interleaved"},
          {good_with("tensor: 2", "sharding: {kind: optimizer, group: 8}"),
           "f:10:38: parallelism.sharding.group: applies to full sharding only; kind: full"},
          {good_with("tensor: 2", "context_kind: rings"),
           "f:10:17: parallelism.context_kind: unknown value 'rings', did you mean 'ring'?; allowed: ring | ulysses"},
          {good_with("tensor: 2", "offload: {optimizer: cpu}"),
           "f:10:24: parallelism.offload.optimizer: 'cpu' is not supported yet; allowed: none"}});
}

TEST_F(FormatRefusal, OfLaterSoftwareAndClusterByName) {
  expect(
      {{good_and("software: {compile: true}\n"), "f:14:21: software.compile: not supported yet; false"},
       {good_and("software: {collectives: {algorithm: star, protocol: ll, in_network: maybe}}\n"),
        "f:14:37: software.collectives.algorithm: unknown value 'star'; allowed: auto | ring | tree | hierarchical | "
        "nvls | collnet | pat\n"
        "f:14:53: software.collectives.protocol: unknown value 'll', did you mean 'LL'?; allowed: auto | LL | LL128 | "
        "Simple\n"
        "f:14:69: software.collectives.in_network: 'maybe' where true or false is due; true | false, without quotes"},
       {good_and("  fabric: {kind: dragonfly, routing: ecmp}\n"),
        "f:14:18: cluster.fabric.kind: 'dragonfly' is not supported yet; allowed: single-switch | leaf-spine | "
        "fat-tree | rail-optimized | rail-only\n"
        "f:14:38: cluster.fabric.routing: 'ecmp' is not supported yet; allowed: adaptive"},
       {good_and("  storage: {read: 5GB/s, writ: 1GB/s}\n"),
        "f:14:12: cluster.storage: not supported yet\n"
        "f:14:26: cluster.storage.writ: unknown key; did you mean 'write'?"},
       {good_with("  nodes: 8\n  node: hgx-h100\n", "  groups: []\n"), "f:12:11: cluster.groups: not supported yet"}});
  EXPECT_THAT(refusal(good_with("hgx-h100", "dgx-1-v100")),
              StartsWith("f:13:9: cluster.node: 'dgx-1-v100' is not supported yet"));
  EXPECT_THAT(refusal(good_with("hgx-h100", "{base: hgx-h100, nvme: {}}")),
              HasSubstr("cluster.node.nvme: not supported yet"));
  EXPECT_THAT(refusal(good_with("hgx-h100", "{base: hgx-h100, intra: {kind: hybrid-cube-mesh}}")),
              HasSubstr("cluster.node.intra.kind: 'hybrid-cube-mesh' is not supported yet"));
}

TEST_F(FormatRefusal, OfLaterConditionsAndCostByNameAndStillOfTheirMistakes) {
  expect(
      {{good_and("conditions: {messages: {}}\n"), "f:14:24: conditions.messages.delay: missing; this key is required"},
       {good_and("conditions: {messages: {delay: -1s}}\n"),
        "f:14:32: conditions.messages.delay: '-1s' is out of range; at least 0s"},
       {good_and("conditions: {jitter: {compute: 1.5}}\n"),
        "f:14:32: conditions.jitter.compute: '1.5' is out of range; at least 0 and at most 1"},
       {good_and("conditions: {throttling: {ambient: 32}}\n"),
        "f:14:26: conditions.throttling: not supported yet\n"
        "f:14:36: conditions.throttling.ambient: '32': a number without a unit; a temperature such as 32C"},
       {good_and("conditions: {failures: {gpu_mtbf: 0h}}\n"),
        "f:14:24: conditions.failures: not supported yet\n"
        "f:14:35: conditions.failures.gpu_mtbf: '0h' is out of range; above 0s"},
       {good_and("conditions: {checkpoint: {every: {step: 5}, bytes: auto}}\n"),
        "f:14:26: conditions.checkpoint: not supported yet\n"
        "f:14:34: conditions.checkpoint.every.steps: missing; this key is required\n"
        "f:14:35: conditions.checkpoint.every.step: unknown key; did you mean 'steps'?"},
       {good_and("conditions: {evaluation: {every: auto}}\n"),
        "f:14:26: conditions.evaluation: not supported yet\n"
        "f:14:34: conditions.evaluation.every: 'auto': not a number; a time such as 5us, 0.8s or 3.5h"},
       {good_and("cost: {gpu_hour: 2.5, node_hour: 5USD}\n"),
        "f:14:7: cost: not supported yet\n"
        "f:14:18: cost.gpu_hour: '2.5': a number without a unit; a price such as 2.5USD or 250kUSD\n"
        "f:14:34: cost.node_hour: given beside gpu_hour; one of gpu_hour | node_hour | capital_per_node"}});
}

}  // namespace
}  // namespace trainsim
