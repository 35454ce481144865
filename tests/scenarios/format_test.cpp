// Does a scenario file become the Scenario it describes?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/format_fixture.hpp"
#include "topologies/catalog.hpp"
#include "workloads/presets.hpp"

namespace trainsim {
namespace {

using ::testing::ElementsAre;

class Format : public FormatFixture {};

TEST_F(Format, ReadsAMinimalScenarioAndLeavesTheRestToDefaults) {
  const Scenario scenario = read(kGoodScenario);
  EXPECT_EQ(scenario.name, "scenario");  // the file's
  EXPECT_EQ(scenario.model.layers, preset_model("llama-3.1-8b").layers);
  EXPECT_EQ(scenario.training.global_batch_size, 64);
  EXPECT_EQ(scenario.training.sequence_length, 8192);
  EXPECT_EQ(scenario.training.precision, "bf16");
  EXPECT_EQ(scenario.training.optimizer, "adam");
  EXPECT_FALSE(scenario.training.grad_dtype);
  EXPECT_FALSE(scenario.training.length.tokens || scenario.training.length.steps);
  EXPECT_EQ(scenario.parallelism.tensor, 2);
  EXPECT_EQ(scenario.parallelism.pipeline, 1);
  EXPECT_FALSE(scenario.parallelism.data);
  EXPECT_FALSE(scenario.parallelism.schedule);
  EXPECT_FALSE(scenario.parallelism.sequence_parallel);
  EXPECT_FALSE(scenario.parallelism.layers_per_stage);
  EXPECT_EQ(scenario.parallelism.sharding, ShardingKind::none);
  EXPECT_EQ(scenario.parallelism.recompute, RecomputeKind::none);
  EXPECT_EQ(scenario.software.stack, "megatron-core");
  EXPECT_EQ(scenario.software.collectives.algorithm, "auto");
  EXPECT_EQ(scenario.software.tuning.gemm_efficiency_factor, 1.0);
  EXPECT_EQ(scenario.cluster.nodes, 8);
  EXPECT_EQ(scenario.cluster.node.gpus, catalog_node("hgx-h100").gpus);
  EXPECT_EQ(scenario.cluster.fabric.latency_s, 1.5e-6);
  EXPECT_EQ(scenario.cluster.fabric.leaf_ports, 64);
  EXPECT_EQ(scenario.cluster.fabric.protocol, "infiniband");
  EXPECT_EQ(scenario.cluster.placement, PlacementKind::packed);
  EXPECT_FALSE(scenario.conditions.are_timed());
  EXPECT_EQ(scenario.simulation.seed, 1);
  EXPECT_EQ(scenario.simulation.repetitions, 200);
  EXPECT_TRUE(scenario.simulation.fold);
}

TEST_F(Format, ReadsTheExampleOfTheFormatPageExceptWhatIsNotSupportedYet) {
  const std::filesystem::path page = TRAINSIM_SOURCE_DIR "/tests/scenarios/format_page_example.yaml";
  EXPECT_EQ(refusal_of(page),
            "f:32:12: training.dataset: not supported yet\n"
            "f:87:12: cluster.storage: not supported yet\n"
            "f:97:15: conditions.throttling: not supported yet\n"
            "f:98:13: conditions.failures: not supported yet\n"
            "f:99:15: conditions.checkpoint: not supported yet\n"
            "f:100:15: conditions.evaluation: not supported yet\n"
            "f:102:7: cost: not supported yet");
}

TEST_F(Format, ReadsEveryExampleThatShips) {
  std::size_t examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRAINSIM_SOURCE_DIR "/scenarios/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    EXPECT_EQ(refusal_of(entry.path()), "accepted") << entry.path();
  }
  EXPECT_GT(examples, 0U);
}

TEST_F(Format, ReadsJson) {
  const Scenario scenario = read(R"({
	"trainsim": 1,
	"name": "from json",
	"model": {"preset": "gpt3-175b"},
	"training": {"global_batch_size": 1536, "micro_batch_size": 1, "sequence_length": 2048, "precision": "bf16",
		"length": {"tokens": "300B"}},
	"cluster": {"gpus": 64, "node": "hgx-a100-80g", "fabric": {"link": "200Gb/s", "oversubscription": 2.0}}
})");
  EXPECT_EQ(scenario.name, "from json");
  EXPECT_EQ(scenario.training.length.tokens, 300e9);
  EXPECT_EQ(scenario.cluster.gpus, 64);
  EXPECT_EQ(scenario.cluster.fabric.link_bytes_per_s, 25e9);
}

TEST_F(Format, ReadsAWrittenOutModel) {
  const Scenario scenario = read(good_with(
      "preset: llama-3.1-8b", "transformer: {layers: 4, hidden_size: 64, attention_heads: 8, vocab_size: 100}"));
  EXPECT_EQ(scenario.model.layers, 4);
  EXPECT_EQ(scenario.model.ffn_hidden_size, 256);
}

TEST_F(Format, ReadsTraining) {
  const Scenario scenario =
      read(good_with("precision: bf16",
                     "precision: fp8\n  scaling: current\n  optimizer: {kind: adamw, state: bf16}\n"
                     "  grad_dtype: bf16\n  length: {epochs: 1.5, dataset_samples: 10M}"));
  EXPECT_EQ(scenario.training.precision, "fp8");
  EXPECT_EQ(scenario.training.scaling, ScalingKind::current);
  EXPECT_EQ(scenario.training.optimizer, "adamw");
  EXPECT_EQ(scenario.training.optimizer_state, "bf16");
  EXPECT_EQ(scenario.training.grad_dtype, "bf16");
  EXPECT_EQ(scenario.training.length.epochs, 1.5);
  EXPECT_EQ(scenario.training.length.dataset_samples, 10e6);
}

TEST_F(Format, ReadsParallelism) {
  const ParallelismSection parallelism = read(good_with("  tensor: 2\n",
                                                        R"(  tensor: 8
  sequence_parallel: false
  context: 2
  context_kind: ulysses
  expert: 4
  expert_tensor: 2
  pipeline: 2
  virtual_stages: 2
  data: 4
  schedule: interleaved
  layers_per_stage: [7, 9, 9, 7]
  sharding: gradients
  recompute: {kind: full, layers: 3}
  order: [tensor, context, pipeline, data]
  overlap: {gradient_reduce: true, parameter_gather: false, tensor: true, pipeline: false, bucket: 40MB}
)"))
                                             .parallelism;
  EXPECT_EQ(parallelism.sequence_parallel, false);
  EXPECT_EQ(parallelism.context, 2);
  EXPECT_EQ(parallelism.context_kind, ContextKind::ulysses);
  EXPECT_EQ(parallelism.expert, 4);
  EXPECT_EQ(parallelism.expert_tensor, 2);
  EXPECT_EQ(parallelism.virtual_stages, 2);
  EXPECT_EQ(parallelism.data, 4);
  EXPECT_EQ(parallelism.schedule, ScheduleKind::interleaved);
  EXPECT_THAT(parallelism.layers_per_stage.value(), ElementsAre(7, 9, 9, 7));
  EXPECT_EQ(parallelism.sharding, ShardingKind::gradients);
  EXPECT_EQ(parallelism.recompute, RecomputeKind::full);
  EXPECT_EQ(parallelism.recompute_layers, 3);
  EXPECT_THAT(parallelism.order, ElementsAre(Axis::tensor, Axis::context, Axis::pipeline, Axis::data));
  EXPECT_EQ(parallelism.overlap_gradient_reduce, true);
  EXPECT_EQ(parallelism.overlap_parameter_gather, false);
  EXPECT_EQ(parallelism.overlap_tensor, true);
  EXPECT_EQ(parallelism.overlap_pipeline, false);
  EXPECT_EQ(parallelism.overlap_bucket_bytes, 40e6);
}

TEST_F(Format, ReadsFullSharding) {
  const auto sharding = [this](const std::string& form) {
    return read(good_with("  tensor: 2\n", "  sharding: " + form + "\n")).parallelism;
  };
  EXPECT_EQ(sharding("full").sharding, ShardingKind::full);
  EXPECT_FALSE(sharding("full").sharding_group || sharding("full").reshard_after_forward);
  const ParallelismSection hybrid = sharding("{kind: full, group: 8, reshard_after_forward: false}");
  EXPECT_EQ(hybrid.sharding, ShardingKind::full);
  EXPECT_EQ(hybrid.sharding_group, 8);
  EXPECT_EQ(hybrid.reshard_after_forward, false);
}

TEST_F(Format, ReadsAdaptersBesideAnyForm) {
  const auto lora = [this](const std::string& targets) {
    return *read(good_with("llama-3.1-8b", "llama-3.1-8b\n  lora: {rank: 16, targets: " + targets + "}")).model.lora;
  };
  EXPECT_EQ(lora("[q, v]").rank, 16);
  EXPECT_TRUE(lora("[q, v]").q && lora("[q, v]").v);
  EXPECT_FALSE(lora("[q, v]").k || lora("[q, v]").qkv || lora("[q, v]").o || lora("[q, v]").mlp);
  EXPECT_TRUE(lora("[all]").qkv && lora("[all]").o && lora("[all]").mlp);
  EXPECT_FALSE(lora("[all]").q);
}

TEST_F(Format, ReadsAHuggingFaceConfigBesideTheScenario) {
  std::ofstream(file().parent_path() / "config.json")
      << R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257})";
  const Model model = read(good_with("preset: llama-3.1-8b", "hf_config: config.json")).model;
  EXPECT_EQ(parameter_count(model), 124'439'808.0);
}

// What the page's comments offer instead: each alternative is one that works.
TEST_F(Format, ReadsTheWrittenOutModelOfTheFormatPage) {
  std::ifstream page(TRAINSIM_SOURCE_DIR "/tests/scenarios/format_page_example.yaml");
  std::string model;
  for (std::string line; std::getline(page, line) && line != "training:";) {
    const bool is_offered = line.starts_with("  # transformer") || line.starts_with("  #   ");
    if (is_offered) model += "  " + line.substr(4) + "\n";
  }
  const Scenario scenario = read(good_with("  preset: llama-3.1-8b\n", model));
  EXPECT_EQ(scenario.model.layers, 96);
  EXPECT_EQ(scenario.model.experts->experts, 8);
  EXPECT_EQ(scenario.model.latent->kv_lora_rank, 512);
}

TEST_F(Format, AcceptsLaterKeysThatOnlySpellOutTheirAbsence) {
  EXPECT_EQ(refusal(good_with("  tensor: 2\n",
                              "  tensor: 2\n  context: 1\n  context_kind: ring\n  expert: 1\n  expert_tensor: auto\n"
                              "  layers_per_stage: auto\n  data: auto\n  sharding: {kind: optimizer}\n"
                              "  offload: {optimizer: none, parameters: none, activations: none}\n")),
            "accepted");
  EXPECT_EQ(refusal(good_and("software: {compile: false, collectives: {protocol: auto, in_network: false}}\n"
                             "conditions: {jitter: {compute: 0}}\n")),
            "accepted");
}

TEST_F(Format, ReadsSoftware) {
  const SoftwareSection software =
      read(good_and("software:\n  stack: llama3\n  flash_attention: 3\n  collectives: {algorithm: hierarchical, "
                    "protocol: LL128, "
                    "in_network: true}\n"
                    "  tuning: {gemm_efficiency_factor: 0.9, network_efficiency_factor: 1.1}\n"))
          .software;
  EXPECT_EQ(software.stack, "llama3");
  EXPECT_EQ(software.flash_attention, 3);
  EXPECT_EQ(software.collectives.algorithm, "hierarchical");
  EXPECT_EQ(software.collectives.protocol, "LL128");
  EXPECT_TRUE(software.collectives.in_network);
  EXPECT_EQ(software.tuning.gemm_efficiency_factor, 0.9);
  EXPECT_EQ(software.tuning.attention_efficiency_factor, 1.0);
  EXPECT_EQ(software.tuning.network_efficiency_factor, 1.1);
}

TEST_F(Format, ReadsTheFabricAndThePlacement) {
  const ClusterSection cluster = read(good_and(R"(  gpus_per_node: 4
  fabric:
    kind: leaf-spine
    nodes: 16
    link: 200Gb/s
    latency: 2us
    leaf_ports: 32
    oversubscription: 3
    levels: [{name: leaf, ports: 32}, {name: pod, gpus: 128, oversubscription: 7}, {name: core}]
    routing: adaptive
    protocol: roce
    nics_per_node: 4
  placement: {file: ranks.txt}
)"))
                                     .cluster;
  EXPECT_EQ(cluster.gpus_per_node, 4);
  EXPECT_EQ(cluster.fabric.kind, FabricKind::leaf_spine);
  EXPECT_EQ(cluster.fabric.nodes, 16);
  EXPECT_EQ(cluster.fabric.link_bytes_per_s, 25e9);
  EXPECT_EQ(cluster.fabric.latency_s, 2e-6);
  EXPECT_EQ(cluster.fabric.leaf_ports, 32);
  EXPECT_EQ(cluster.fabric.oversubscription, 3);
  EXPECT_EQ(cluster.fabric.protocol, "roce");
  EXPECT_EQ(cluster.fabric.nics_per_node, 4);
  ASSERT_EQ(cluster.fabric.levels.size(), 3U);
  EXPECT_EQ(cluster.fabric.levels[0].ports, 32U);
  EXPECT_EQ(cluster.fabric.levels[1].gpus, 128U);
  EXPECT_EQ(cluster.fabric.levels[1].oversubscription, 7);
  EXPECT_EQ(cluster.fabric.levels[2].name, "core");
  EXPECT_EQ(cluster.placement, PlacementKind::file);
  EXPECT_EQ(cluster.placement_file, "ranks.txt");
}

TEST_F(Format, ReadsANodeThatChangesACatalogNode) {
  const NodeSpec node =
      read(good_with("node: hgx-h100", "node: {base: hgx-h100, nics: {bandwidth: 200Gb/s}}")).cluster.node;
  EXPECT_EQ(node.nics.bandwidth_bytes_per_s, 25e9);
  EXPECT_EQ(node.gpus, 8U);
}

TEST_F(Format, ReadsConditions) {
  const Conditions conditions = read(good_and(R"(conditions:
  tenants:
    - {name: neighbour, nodes: 32, placement: scattered, traffic: {kind: all-to-all, bytes: 2GB, every: 0.8s}, from: 1s, to: 2h}
    - {share: 0.3, of: spine, busy: 20s, quiet: 40s}
    - {nodes: 2, traffic: {kind: all-reduce, bytes: 1MB, every: 1ms}}
  stragglers: [{gpu: 17, speed: 0.8}, {fraction: 0.01, speed: 0.9}]
  links: [{match: "node3.nic2", bandwidth_factor: 0.5}]
  messages: {delay: 700ms}
)"))
                                    .conditions;
  ASSERT_EQ(conditions.traffic.size(), 2U);
  EXPECT_EQ(conditions.traffic[0].name, "neighbour");
  EXPECT_EQ(conditions.traffic[0].nodes, 32);
  EXPECT_EQ(conditions.traffic[0].placement, PlacementKind::scattered);
  EXPECT_EQ(conditions.traffic[0].kind, "all-to-all");
  EXPECT_EQ(conditions.traffic[0].bytes, 2e9);
  EXPECT_EQ(conditions.traffic[0].every_s, 0.8);
  EXPECT_EQ(conditions.traffic[0].from_s, 1);
  EXPECT_EQ(conditions.traffic[0].to_s, 7200);
  EXPECT_EQ(conditions.traffic[1].name, "tenant-3");
  EXPECT_FALSE(conditions.traffic[1].to_s);
  ASSERT_EQ(conditions.shares.size(), 1U);
  EXPECT_EQ(conditions.shares[0].name, "tenant-2");
  EXPECT_EQ(conditions.shares[0].share, 0.3);
  EXPECT_EQ(conditions.shares[0].tier, "spine");
  EXPECT_EQ(conditions.shares[0].busy_s, 20);
  EXPECT_EQ(conditions.shares[0].quiet_s, 40);
  ASSERT_EQ(conditions.stragglers.size(), 2U);
  EXPECT_EQ(conditions.stragglers[0].gpu, 17);
  EXPECT_EQ(conditions.stragglers[1].fraction, 0.01);
  EXPECT_EQ(conditions.stragglers[1].speed, 0.9);
  ASSERT_EQ(conditions.links.size(), 1U);
  EXPECT_EQ(conditions.links[0].match, "node3.nic2");
  EXPECT_EQ(conditions.links[0].bandwidth_factor, 0.5);
  EXPECT_EQ(conditions.message_delay_s, 0.7);
}

TEST_F(Format, ReadsSimulation) {
  const SimulationSection simulation =
      read(good_and("simulation: {seed: 7, steps: 3, repetitions: 1000000, fold: false}\n")).simulation;
  EXPECT_EQ(simulation.seed, 7);
  EXPECT_EQ(simulation.steps, 3);
  EXPECT_EQ(simulation.repetitions, 1'000'000);
  EXPECT_FALSE(simulation.fold);
}

TEST_F(Format, AppliesOverridesAndKeepsThemInTheDocument) {
  const Scenario scenario =
      read(kGoodScenario, {"parallelism.tensor=4", "cluster.fabric.latency=3us", "training.length={steps: 5}"});
  EXPECT_EQ(scenario.parallelism.tensor, 4);
  EXPECT_EQ(scenario.cluster.fabric.latency_s, 3e-6);
  EXPECT_EQ(scenario.training.length.steps, 5);
  EXPECT_EQ(scenario.document.root.find("parallelism")->find("tensor")->scalar, "4");
}

TEST_F(Format, PointsAtTheCommandLineForAWrongOverride) {
  EXPECT_EQ(refusal(kGoodScenario, {"parallelism.tensor=0", "parallelism.tensr=2"}),
            "--set: parallelism.tensor: '0' is out of range; a whole number, 1 to 1048576\n"
            "--set: parallelism.tensr: unknown key; did you mean 'tensor'?");
  EXPECT_EQ(refusal(kGoodScenario, {"nonsense", "trainsim.x=1"}),
            "--set: 'nonsense' is no assignment; write key.path=value\n"
            "--set: trainsim.x: 'x' lies inside a single value; override that value itself");
}

TEST_F(Format, FindsThePlaceOfAKeyOrItsNearestAncestor) {
  const Scenario scenario =
      read(good_and("conditions:\n  stragglers:\n    - {gpu: 1, speed: 0.5}\n"), {"parallelism.pipeline=2"});
  const auto text = [&](std::string_view path) {
    const Location place = place_of(scenario.document, path);
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  EXPECT_EQ(text("cluster.nodes"), "12:10");
  EXPECT_EQ(text("cluster.fabric.kind"), "12:3");
  EXPECT_EQ(text("conditions.stragglers.0.gpu"), "16:13");
  EXPECT_EQ(text("conditions.stragglers.0.fraction"), "16:7");
  EXPECT_EQ(text("conditions.stragglers.5.gpu"), "16:5");
  EXPECT_EQ(text("nowhere"), "1:1");
  EXPECT_EQ(place_of(scenario.document, "cluster.nodes").file, file().string());
  EXPECT_EQ(place_of(scenario.document, "parallelism.pipeline").file, "--set");
}

}  // namespace
}  // namespace trainsim
