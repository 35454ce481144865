// What single rows turn into.
#include "scenarios/validation/row_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scenarios/validation/memory_validation.hpp"

namespace trainsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Cells = std::map<std::string, std::string, std::less<>>;

// A row of the Ultra-Scale Playbook with the changes.
TrainingRow row_with(const Cells& changes) {
  Cells cells = {{"row_id", "nan0001"},
                 {"source_id", "hf_ultrascale"},
                 {"step_time_s_any", "1.5"},
                 {"model", "Llama-like"},
                 {"n_layers", "16"},
                 {"hidden", "2048"},
                 {"ffn_hidden", "8192"},
                 {"gated_mlp", "y"},
                 {"heads", "32"},
                 {"kv_heads", "32"},
                 {"vocab", "131072"},
                 {"tied_embed", "y"},
                 {"pos_emb", "rope"},
                 {"seq_len", "4096"},
                 {"gpu", "H100-SXM5-80GB"},
                 {"gpu_mem_gb", "80"},
                 {"gpus_per_node", "8"},
                 {"n_gpus", "16"},
                 {"global_batch", "256"},
                 {"micro_batch", "2"},
                 {"grad_accum", "32"},
                 {"tp", "4"},
                 {"pp", "1"},
                 {"cp", "1"},
                 {"dp", "4"},
                 {"zero_stage", "1"},
                 {"seq_parallel", "y"},
                 {"recompute", "none"},
                 {"precision", "bf16"},
                 {"inter_node", "AWS EFA"},
                 {"inter_node_gbps_per_gpu", "400"}};
  for (const auto& [column, text] : changes) cells[column] = text;
  return TrainingRow(CsvRow(std::move(cells)));
}

TEST(RowScenario, TheStateOfAMachineGoesByTheSizeOfTheJob) {
  EXPECT_THAT(scenario_of(row_with({})).yaml, testing::Not(HasSubstr("conditions")));
  const std::string large = scenario_of(row_with({{"n_gpus", "512"}, {"dp", "128"}, {"grad_accum", "1"}})).yaml;
  EXPECT_THAT(large, HasSubstr("delay: 0.5s"));
  EXPECT_THAT(large, HasSubstr("# Assumed: messages between nodes are late by 0.5s"));
}

TEST(RowScenario, AnUnpublishedMicroBatchOfATunedSourceIsOneOfSeveral) {
  const TrainingRow untold = row_with({{"source_id", "megatron_sc21"}, {"micro_batch", ""}, {"grad_accum", ""}});
  EXPECT_THAT(tuned_micro_batches(untold), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(scenario_of(untold, {.stack = {}, .micro_batch = 4}).yaml, HasSubstr("micro_batch_size: 4"));
  EXPECT_THAT(scenario_of(untold).yaml, HasSubstr("micro_batch_size: 1"));
  EXPECT_THAT(tuned_micro_batches(row_with({{"source_id", "megatron_sc21"}})), ElementsAre());
  EXPECT_THAT(tuned_micro_batches(row_with({{"micro_batch", ""}, {"grad_accum", ""}})), ElementsAre());
}

// A layer costs 4 x 2048 + 3 x 8192, the head 131072: four layers. Even shares of 20 over 8 stages are 2.5.
TEST(RowScenario, AStageTakesTheBlockThatReachesItsShare) {
  const auto yaml =
      scenario_of(row_with({{"n_gpus", "8"}, {"tp", "1"}, {"pp", "8"}, {"dp", "1"}, {"grad_accum", "128"}})).yaml;
  EXPECT_THAT(yaml, HasSubstr("layers_per_stage: [3, 2, 3, 2, 3, 2, 1, 0]"));
}

TEST(MemoryOfRows, IsThatOfTheStageAndThePartsThatTheSourcePrints) {
  const std::string folder = testing::TempDir() + "memory_of_rows";
  const auto outcome_of = [&](const Cells& changes) { return memory_of({row_with(changes)}, {}, folder).front(); };
  const MemoryOutcome untimed = outcome_of({{"step_time_s_any", ""}, {"mem_gb", "20"}});
  EXPECT_EQ(untimed.reach, Reach::resolves) << untimed.reason;
  EXPECT_EQ(untimed.printed_bytes, 20e9);
  EXPECT_FALSE(outcome_of({}).printed_bytes);
  EXPECT_FALSE(outcome_of({{"source_id", "vtrain_multi"}, {"seq_parallel", "n"}, {"mem_gb", "20"}}).printed_bytes);
  const MemoryOutcome large = outcome_of({{"micro_batch", "128"}, {"grad_accum", "1"}, {"dp", "2"}, {"n_gpus", "8"}});
  EXPECT_EQ(large.reach, Reach::resolves) << large.reason;
  EXPECT_FALSE(large.fits);
  std::filesystem::remove_all(folder);
}

TEST(RowScenario, TheSourceDecidesStackAndNetwork) {
  const RowScenario scenario = scenario_of(row_with({}));
  EXPECT_TRUE(scenario.says_enough());
  EXPECT_THAT(scenario.yaml, HasSubstr("stack: nanotron"));
  EXPECT_THAT(scenario.yaml, HasSubstr("node: p5.48xlarge"));
  EXPECT_THAT(scenario.yaml, HasSubstr("protocol: efa"));
  EXPECT_THAT(scenario.yaml, HasSubstr("# Published: 1.5 s per step"));
}

TEST(RowScenario, ABatchThatContradictsItselfIsNamed) {
  EXPECT_THAT(scenario_of(row_with({{"global_batch", "128"}})).lacks,
              ElementsAre("one global batch (micro_batch x grad_accum x dp is 256, global_batch 128)"));
}

TEST(RowScenario, HalfASequenceIsNoMicroBatch) {
  EXPECT_THAT(scenario_of(row_with({{"micro_batch", "0.5"}, {"grad_accum", "128"}})).lacks,
              ElementsAre("a micro-batch of whole sequences (micro_batch is 0.5)"));
}

TEST(RowScenario, DegreesThatDoNotMultiplyOutAreNamed) {
  EXPECT_THAT(scenario_of(row_with({{"n_gpus", "32"}})).lacks,
              ElementsAre("degrees that multiply out (tp x cp x pp x dp is 16, n_gpus 32)"));
}

TEST(RowScenario, ARowWithoutPlanOrDimensionsSaysWhatItLacks) {
  const auto lacks = scenario_of(row_with({{"tp", ""}, {"hidden", ""}, {"model", "Nemotron"}})).lacks;
  EXPECT_THAT(lacks, ElementsAre("dimensions of the model (Nemotron)", "parallel plan (tp, pp)"));
}

TEST(RowScenario, ModelsWithoutAllDimensionsAreTakenByName) {
  EXPECT_THAT(scenario_of(row_with({{"model", "Llama 2 70B LoRA r16"}, {"pos_emb", ""}})).yaml,
              HasSubstr("preset: llama-2-70b"));
}

TEST(RowScenario, PublishedAcceleratorsChangeTheCatalogs) {
  const auto yaml = scenario_of(row_with({{"gpu", "H100-SXM 96GB HBM2e 2.4TB/s, 500W cap"},
                                          {"gpu_mem_gb", "96"},
                                          {"gpu_power_w", "500"},
                                          {"inter_node", "RoCE"}}))
                        .yaml;
  for (const char* part : {"base: hgx-h100", "memory: 96GB", "memory_bandwidth: 2.4TB/s", "power: 500W"}) {
    EXPECT_THAT(yaml, HasSubstr(part));
  }
}

TEST(RowScenario, ADomainOfNvl72IsUsedEvenly) {
  const Cells large = {
      {"gpu", "GB200"}, {"gpu_mem_gb", "186"}, {"gpus_per_node", "4"}, {"n_gpus", "256"}, {"tp", "64"}};
  const auto yaml = scenario_of(row_with(large)).yaml;
  EXPECT_THAT(yaml, HasSubstr("nodes: 4"));
  EXPECT_THAT(yaml, HasSubstr("gpus_per_node: 64"));
}

}  // namespace
}  // namespace trainsim
