// Are software, machine and conditions decided, is each fault pointed at, and does the resolved scenario resolve to
// itself?
#include "scenarios/resolve/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "scenarios/resolve/conditions.hpp"
#include "tests/scenarios/resolve_fixture.hpp"

namespace trainsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Software

TEST_F(Resolve, TakesDefaultsFromTheStack) {
  const ResolvedScenario all = resolved(kBase);
  const Stack stack = catalog_stack("megatron-core", "hopper");
  EXPECT_EQ(all.plan.grad_dtype, stack.grad_dtype);
  EXPECT_EQ(all.plan.overlap.gradient_reduce, stack.overlap.gradient_reduce);
  EXPECT_EQ(all.plan.overlap.bucket_bytes, stack.overlap.bucket_bytes);
  EXPECT_EQ(all.scenario.software.flash_attention, stack.kernels.flash_attention);
  EXPECT_TRUE(all.plan.sequence_parallel);
}

TEST_F(Resolve, AWrittenFlashAttentionReachesTheKernels) {
  EXPECT_EQ(resolved(with_lines("software: {flash_attention: 0}\n")).stack.kernels.flash_attention, 0);
}

TEST_F(Resolve, RefusesAFlashAttentionThatTheAcceleratorDoesNotRun) {
  EXPECT_THAT(
      faults(changed({{"node: hgx-h100", "node: hgx-a100-80g\nsoftware: {flash_attention: 3}"}})),
      ElementsAre(HasSubstr("3} | software.flash_attention: generation 3 has no figures on a100-sxm-80g in bf16")));
}

TEST_F(Resolve, RefusesAPrecisionThatTheAcceleratorDoesNotHave) {
  EXPECT_THAT(faults(changed({{"node: hgx-h100", "node: {base: hgx-a100-80g, accelerator: v100-sxm-32g}"}})),
              ElementsAre(HasSubstr("bf16 | training.precision: ")));
}

TEST_F(Resolve, RefusesReductionInSwitchesThatDoNotReduce) {
  const auto with = [](const std::string& node, const std::string& choice) {
    return changed({{"node: hgx-h100", "node: " + node + "\nsoftware: {collectives: {" + choice + "}}"}});
  };
  EXPECT_EQ(resolved(with("hgx-h100", "algorithm: nvls")).scenario.software.collectives.algorithm, "nvls");
  EXPECT_THAT(faults(with("hgx-a100-80g", "algorithm: nvls")),
              ElementsAre(HasSubstr("software.collectives.algorithm: no switch between the a100-sxm-80gs")));
  EXPECT_THAT(faults(with("hgx-h100\n  fabric: {protocol: efa}", "in_network: true")),
              ElementsAre(HasSubstr("software.collectives.in_network: no switch of a network of protocol efa")));
  EXPECT_THAT(faults(with("hgx-h100\n  fabric: {protocol: roce}", "algorithm: collnet")),
              ElementsAre(HasSubstr("software.collectives.algorithm: no switch of a network of protocol roce")));
  EXPECT_TRUE(faults(with("hgx-h100", "in_network: true")).empty());
}

TEST_F(Resolve, GradientShardingReducesAsTheStackDoes) {
  for (const std::string& name : stack_names()) {
    const std::string text =
        changed({{"pipeline: 2", "pipeline: 2\n  sharding: gradients"}}) + "software: {stack: " + name + "}\n";
    EXPECT_EQ(resolved(text).plan.reduces_every_micro_batch, catalog_stack(name).reduces_every_micro_batch) << name;
  }
  EXPECT_FALSE(
      resolved(changed({{"pipeline: 2", "pipeline: 2\n  sharding: optimizer"}})).plan.reduces_every_micro_batch);
}

// Machine

TEST_F(Resolve, TheFabricFollowsTheNics) {
  const FabricSpec fabric = resolved(kBase).fabric;
  EXPECT_EQ(fabric.kind, FabricKind::rail_optimized);
  EXPECT_EQ(fabric.nodes, 2U);
  EXPECT_DOUBLE_EQ(fabric.link_bandwidth_bytes_per_s, 50e9);
  EXPECT_EQ(resolved(with_lines("  fabric: {nics_per_node: 4}\n")).fabric.kind, FabricKind::leaf_spine);
}

TEST_F(Resolve, RailsNeedOneNicPerGpu) {
  EXPECT_THAT(
      faults(with_lines("  fabric: {kind: rail-only, nics_per_node: 4}\n")),
      ElementsAre(HasSubstr("rail-only, nics_per_node: 4} | cluster.fabric.kind: rail-only needs one NIC for each of "
                            "a node's 8 GPUs, but there are 4")));
}

TEST_F(Resolve, TheMachineHoldsTheJobAndItsTenants) {
  const std::string tenant =
      "conditions:\n  tenants:\n    - {name: other, nodes: 3, traffic: {kind: all-reduce, bytes: 1GB, every: 1s}}\n";
  EXPECT_EQ(resolved(with_lines(tenant)).fabric.nodes, 5U);
  EXPECT_THAT(
      faults(with_lines("  fabric: {nodes: 4}\n" + tenant)),
      ElementsAre("4} | cluster.fabric.nodes: 4 nodes are too few for the job's 2 and its tenants' 3; at least 5"));
}

TEST_F(Resolve, WhatCannotBeBuiltPointsAtTheFabric) {
  EXPECT_THAT(faults(with_lines("  fabric: {kind: leaf-spine, leaf_ports: 4}\n")),
              ElementsAre(HasSubstr("| cluster.fabric: level leaf: 4 ports leave 2")));
}

TEST_F(Resolve, PacksNodesInOrderOrDealsThemRoundTheLeaves) {
  const auto nodes_of = [](const ResolvedScenario& all) {
    return std::vector{all.topology.node_of(all.gpu_of_rank.front()), all.topology.node_of(all.gpu_of_rank.back())};
  };
  EXPECT_THAT(nodes_of(resolved(with_lines(kLeafSpine))), ElementsAre(0, 1));
  EXPECT_THAT(nodes_of(resolved(with_lines(std::string(kLeafSpine) + "  placement: scattered\n"))), ElementsAre(0, 2));
}

TEST_F(Resolve, TenantsFollowTheJobOrAreDealtRoundTheLeaves) {
  const std::string traffic = "traffic: {kind: all-reduce, bytes: 1GB, every: 1s}}\n";
  const ResolvedScenario all = resolved(with_lines(
      std::string(kLeafSpine) + "conditions:\n  tenants:\n    - {name: spread, nodes: 2, placement: scattered, " +
      traffic + "    - {name: next, nodes: 1, " + traffic));
  ASSERT_THAT(all.gpus_of_tenant, ElementsAre(SizeIs(16), SizeIs(8)));
  EXPECT_EQ(all.topology.node_of(all.gpus_of_tenant[0].front()), 2U);
  EXPECT_EQ(all.topology.node_of(all.gpus_of_tenant[0].back()), 4U);
  EXPECT_EQ(all.topology.node_of(all.gpus_of_tenant[1].front()), 3U);
}

TEST_F(Resolve, APlacementFileNamesAGpuPerRank) {
  std::string ranks;
  for (int i = 0; i < 8; ++i) ranks += "1." + std::to_string(i) + "\r\n\n" + std::to_string(i) + "\n";
  write("ranks.txt", ranks);
  const std::vector<GpuId> gpus = resolved(with_lines("  placement: {file: ranks.txt}\n")).gpu_of_rank;
  ASSERT_THAT(gpus, SizeIs(16));
  EXPECT_EQ(gpus[0], GpuId{8});
  EXPECT_EQ(gpus[1], GpuId{0});
  EXPECT_EQ(gpus[15], GpuId{7});
}

TEST_F(Resolve, FaultsOfAPlacementFileAreLocatedInIt) {
  write("ranks.txt", "0\n 0.9\n0.0\n\xff\n");
  EXPECT_THAT(
      faults(with_lines("  placement: {file: ranks.txt}\n")),
      ElementsAre(HasSubstr("0.9 | : '0.9' is no GPU of the 2 nodes with 8 GPUs each"),
                  HasSubstr("0.0 | : GPU 0.0 already has the rank of line 1"), HasSubstr("| : '\xff' is no GPU")));
  write("ranks.txt", "0\n1\n");
  EXPECT_THAT(faults(with_lines("  placement: {file: ranks.txt}\n")),
              ElementsAre("1 | : 2 GPUs are named, but the job has 16 ranks; one line per rank"));
  EXPECT_THAT(faults(with_lines("  placement: {file: none.txt}\n")),
              ElementsAre(HasSubstr("| cluster.placement.file: ")));
}

// Conditions

TEST_F(Resolve, AStragglerSlowsItsRank) {
  const std::vector<double> slowdown =
      resolved(with_lines("conditions:\n  stragglers: [{gpu: 3, speed: 0.8}]\n")).slowdown_of_rank;
  ASSERT_THAT(slowdown, SizeIs(16));
  EXPECT_DOUBLE_EQ(slowdown[3], 1.25);
  EXPECT_DOUBLE_EQ(slowdown[2], 1.0);
  EXPECT_THAT(
      faults(with_lines("conditions:\n  stragglers: [{gpu: 16, speed: 0.8}]\n")),
      ElementsAre(HasSubstr("16, speed: 0.8}] | conditions.stragglers.0.gpu: there is no GPU 16 among the job's 16")));
}

TEST(SlowdownOfRanks, DrawsAFractionFromTheSeed) {
  Conditions conditions;
  conditions.stragglers.push_back({std::nullopt, 0.25, 0.5});
  const Document document;
  Findings findings(document);
  const auto first = slowdown_of_ranks(conditions, 64, 1, findings);
  EXPECT_EQ(std::count(first.begin(), first.end(), 2.0), 16);
  EXPECT_EQ(first, slowdown_of_ranks(conditions, 64, 1, findings));
  EXPECT_NE(first, slowdown_of_ranks(conditions, 64, 2, findings));
}

TEST_F(Resolve, DegradesEveryLinkThatMatches) {
  const ResolvedScenario all =
      resolved(with_lines("conditions:\n  links: [{match: \"node1.nic*\", bandwidth_factor: 0.5}, {match: node1.nic0, "
                          "bandwidth_factor: 0.5}]\n"));
  std::map<std::string, double> factors;
  for (std::size_t i = 0; i < all.topology.link_count(); ++i) {
    factors[all.topology.name(LinkId{i})] = all.topology.link(LinkId{i}).capacity_factor;
  }
  EXPECT_DOUBLE_EQ(factors.at("node1.nic0"), 0.25);
  EXPECT_DOUBLE_EQ(factors.at("node1.nic7"), 0.5);
  EXPECT_DOUBLE_EQ(factors.at("node0.nic0"), 1.0);
}

TEST_F(Resolve, APatternThatMatchesNoLinkIsAFault) {
  EXPECT_THAT(faults(with_lines("conditions:\n  links: [{bandwidth_factor: 0.5, match: node9.nic0}]\n")),
              ElementsAre(HasSubstr("node9.nic0}] | conditions.links.0.match: no link is called 'node9.nic0'")));
}

TEST_F(Resolve, AShareNeedsATierOfTheFabric) {
  const std::string tenants =
      "conditions:\n  tenants:\n    - {name: a, nodes: 1, traffic: {kind: all-reduce, bytes: 1GB, every: 1s}}\n";
  EXPECT_THAT(
      faults(with_lines(kLeafSpine + tenants + "    - {name: b, share: 0.3, of: spin}\n")),
      ElementsAre(
          "spin} | conditions.tenants.1.of: the fabric has no tier 'spin' (did you mean 'spine'?); leaf, spine"));
  EXPECT_THAT(
      faults(with_lines(kLeafSpine + tenants +
                        "    - {name: b, share: 0.6, of: spine}\n    - {name: c, of: spine, share: 0.6}\n")),
      ElementsAre(HasSubstr("0.6} | conditions.tenants.2.share: the tenants' shares of tier spine sum to 1.2")));
}

// All at once, and the whole

TEST_F(Resolve, ReportsAllFaultsTogether) {
  EXPECT_THAT(faults(changed({{"global_batch_size: 16", "global_batch_size: 18"},
                              {"sequence_length: 2048", "sequence_length: 2050"}}) +
                     "conditions:\n  links: [{match: nothing, bandwidth_factor: 0.5}]\n"),
              SizeIs(3));
}

TEST_F(Resolve, AFaultOfAnOverridePointsAtTheCommandLine) {
  const Scenario scenario = read_scenario(write("a.yaml", kBase), {"parallelism.pipeline=3"});
  try {
    resolve(scenario);
    FAIL() << "pipeline 3 does not divide 16 GPUs";
  } catch (const InputError& error) {
    ASSERT_THAT(error.diagnostics(), SizeIs(1));
    EXPECT_THAT(error.diagnostics().front().text(), HasSubstr("--set: parallelism.pipeline: "));
  }
}

TEST_F(Resolve, TheRunsLengthBecomesSteps) {
  const auto steps = [this](const std::string& length) {
    return resolved(changed({{"precision: bf16", "precision: bf16\n  length: " + length}})).run_steps;
  };
  EXPECT_EQ(resolved(kBase).run_steps, 1);
  EXPECT_EQ(steps("{steps: 7}"), 7);
  EXPECT_EQ(steps("{tokens: 32768}"), 1);
  EXPECT_EQ(steps("{tokens: 32769}"), 2);
  EXPECT_EQ(steps("{samples: 33}"), 3);
  EXPECT_EQ(steps("{epochs: 2, dataset_samples: 17}"), 3);
}

std::string dump(const nlohmann::ordered_json& json) { return json.dump(1); }

TEST_F(Resolve, TheResolvedScenarioResolvesToItself) {
  const std::string everything = changed({{"pipeline: 2", "pipeline: 2\n  virtual_stages: 2\n  recompute: full"},
                                          {"name: base", "name: base\ndescription: a \"quoted\" text"},
                                          {"precision: bf16", "precision: bf16\n  length: {tokens: 300B}"}}) +
                                 kLeafSpine + R"(  placement: scattered
conditions:
  tenants:
    - {name: other, nodes: 3, placement: scattered,
       traffic: {kind: all-reduce, bytes: 1.5GB, every: 0.8s}, from: 1s, to: 2h}
    - {name: noise, share: 0.3, of: spine, busy: 20s, quiet: 40s}
  stragglers: [{gpu: 3, speed: 0.8}, {fraction: 0.1, speed: 0.9}]
  links: [{match: "node1.nic*", bandwidth_factor: 0.5}]
simulation: {seed: 5, steps: 3}
)";
  for (const std::string& text : {std::string(kBase), everything, changed({{"nodes: 2", "nodes: 1"}})}) {
    const std::string first = dump(resolved(text).json);
    EXPECT_EQ(first, dump(resolved(first).json));
  }
}

TEST_F(Resolve, AResolvedScenarioOfEveryLayoutResolvesToItself) {
  const std::vector<std::pair<std::string, std::string>> changes[] = {
      {{"pipeline: 2", "context: 2\n  context_kind: ulysses\n  sharding: {kind: full, group: 2}"}},
      {{"    gated_mlp", "    moe: {experts: 8, top_k: 2, capacity_factor: 1.5, skew: 0.75}\n    gated_mlp"},
       {"pipeline: 2", "expert: 4\n  expert_tensor: 2\n  sharding: full"}},
      {{"    gated_mlp", "    moe: {experts: 2, top_k: 1, skew: [1, 0.25]}\n    gated_mlp"}},
      {{"    kv_heads: 8",
        "    mla: {q_lora_rank: 64, kv_lora_rank: 64, qk_nope_head_dim: 32, qk_rope_head_dim: 16, v_head_dim: 32}\n"
        "    attention: {window: 512, every_n_layers: 4}"}},
      {{"training:", "  lora: {rank: 8, targets: [q, v, mlp]}\ntraining:"}},
      {{"precision: bf16", "precision: fp8\n  scaling: current\n  optimizer: {kind: adam, state: bf16}"}},
      {{"precision: bf16", "precision: bf16\n  optimizer: adam8bit"}}};
  for (const auto& change : changes) {
    const std::string first = dump(resolved(changed(change)).json);
    EXPECT_EQ(first, dump(resolved(first).json));
  }
}

TEST_F(Resolve, TheResolvedScenarioNamesEveryDegreeOfALayout) {
  const nlohmann::ordered_json json = resolved(changed({{"pipeline: 2", "context: 2\n  sharding: full"}})).json;
  const auto& parallelism = json.at("parallelism");
  EXPECT_EQ(parallelism.at("context_kind"), "ring");
  EXPECT_EQ(parallelism.at("expert_tensor"), 4);
  EXPECT_EQ(parallelism.at("sharding"),
            (nlohmann::ordered_json{{"kind", "full"}, {"group", 4}, {"reshard_after_forward", true}}));
  EXPECT_EQ(resolved(changed({{"precision: bf16", "precision: fp8"}})).json.at("training").at("scaling"), "current");
}

TEST_F(Resolve, AHuggingFaceConfigResolvesToAModelWrittenOut) {
  write("config.json", R"({"model_type": "mixtral", "hidden_size": 1024, "intermediate_size": 2048,
    "num_attention_heads": 16, "num_hidden_layers": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
    "vocab_size": 32000})");
  const std::string base = kBase;
  const std::size_t from = base.find("  transformer");
  const std::size_t to = base.find("training:");
  const std::string first =
      dump(resolved(changed({{base.substr(from, to - from), "  hf_config: config.json\n"}})).json);
  EXPECT_THAT(first, HasSubstr("\"experts\": 8"));
  EXPECT_EQ(first, dump(resolved(first).json));
}

// The page's example without the sections whose features do not exist yet.
TEST_F(Resolve, TheExampleOfTheFormatPageResolvesToItself) {
  const std::vector<std::string> later = {"  dataset:",  "  storage:",    "  jitter:",     "  throttling:",
                                          "  failures:", "  checkpoint:", "  evaluation:", "cost:"};
  std::ifstream page(TRAINSIM_SOURCE_DIR "/tests/scenarios/format_page_example.yaml");
  std::string text;
  for (std::string line; std::getline(page, line);) {
    const bool is_later =
        std::any_of(later.begin(), later.end(), [&](const std::string& key) { return line.starts_with(key); });
    if (!is_later) text += line + "\n";
  }
  const std::string first = dump(resolved(text).json);
  EXPECT_EQ(first, dump(resolved(first).json));
}

TEST_F(Resolve, TheResolvedScenarioKeepsTheNamesOfPresetsAndNodes) {
  const std::string transformer =
      std::string(kBase).substr(std::string(kBase).find("  transformer"),
                                std::string(kBase).find("training:") - std::string(kBase).find("  transformer"));
  const nlohmann::ordered_json json = resolved(changed({{transformer, "  preset: llama-2-7b\n"}})).json;
  EXPECT_EQ(json.at("model").at("preset"), "llama-2-7b");
  EXPECT_EQ(json.at("cluster").at("node"), "hgx-h100");
  EXPECT_EQ(json.at("parallelism").at("data"), 2);
  EXPECT_EQ(json.at("cluster").at("fabric").at("link"), "50GB/s");
}

TEST_F(Resolve, TheResolvedScenarioKeepsANodeWrittenOut) {
  const std::string text =
      changed({{"node: hgx-h100", "node: {base: hgx-h100, nics: {count: 4, bandwidth: 200Gb/s}}"}});
  const nlohmann::ordered_json json = resolved(text).json;
  EXPECT_EQ(json.at("cluster").at("node").at("nics").at("count"), 4);
  EXPECT_EQ(json.at("cluster").at("node").at("intra").at("latency").at("estimated"), true);
  EXPECT_EQ(dump(json), dump(resolved(dump(json)).json));
}

TEST_F(Resolve, ARenamedAcceleratorKeepsTheKernelsOfItsBase) {
  const std::string text = changed(
      {{"node: hgx-h100", "node: {base: hgx-h100, accelerator: {base: h100-sxm, name: h100-96g, memory: 96GB}}"}});
  const ResolvedScenario renamed = resolved(text);
  EXPECT_EQ(renamed.efficiency.matmul, resolved(kBase).efficiency.matmul);
  EXPECT_EQ(renamed.json.at("cluster").at("node").at("accelerator").at("base"), "h100-sxm");
  EXPECT_EQ(dump(renamed.json), dump(resolved(dump(renamed.json)).json));
}

TEST_F(Resolve, SaysWhenOversubscriptionHasNoLinksToActOn) {
  const auto notes = resolved(with_lines("  fabric: {kind: leaf-spine, oversubscription: 4}\n")).notes;
  EXPECT_THAT(notes, testing::Contains(HasSubstr("cluster.fabric.oversubscription has no effect")));
}

TEST_F(Resolve, RefusesAGpuThatStragglesTwice) {
  const std::string text = with_lines("conditions: {stragglers: [{gpu: 3, speed: 0.9}, {gpu: 3, speed: 0.8}]}\n");
  EXPECT_THAT(faults(text), ElementsAre(HasSubstr("conditions.stragglers.1.gpu: GPU 3 a second time")));
}

TEST_F(Resolve, ExtendsATableOfPositionsThatASequenceOutgrows) {
  const std::string text =
      changed({{"gated_mlp: true", "gated_mlp: true\n    position: learned\n    max_positions: 512"}});
  const ResolvedScenario extended = resolved(text);
  EXPECT_EQ(extended.scenario.model.max_positions, 2048);
  EXPECT_THAT(extended.notes,
              testing::Contains(HasSubstr("the table of 512 learned positions is extended to the 2048")));
}

TEST_F(Resolve, RefusesMoreShareTenantsThanALinkCanKeepApart) {
  std::string tenants = "conditions:\n  tenants:\n";
  for (int i = 0; i < 33; ++i) tenants += "    - {name: t" + std::to_string(i) + ", share: 0.01, of: leaf}\n";
  EXPECT_THAT(faults(with_lines(kLeafSpine + tenants)), ElementsAre(HasSubstr("33 tenants take a share")));
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, ResolvesAndItsResolvedScenarioDoesToo) {
  const std::filesystem::path path = std::filesystem::path(TRAINSIM_SOURCE_DIR) / "scenarios/examples" / GetParam();
  const ResolvedScenario example = resolve(read_scenario(path));
  EXPECT_EQ(example.plan.ranks(), static_cast<std::int64_t>(example.gpu_of_rank.size()));
  EXPECT_EQ(example.scenario.name + ".yaml", GetParam());
  const auto again = std::filesystem::path(testing::TempDir()) / GetParam();
  std::ofstream(again) << dump(example.json);
  EXPECT_EQ(dump(resolve(read_scenario(again)).json), dump(example.json));
  std::filesystem::remove(again);
}

std::vector<std::string> example_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TRAINSIM_SOURCE_DIR) / "scenarios/examples")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(example_files()), [](const auto& example) {
  std::string name = example.param.substr(0, example.param.size() - 5);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace trainsim
