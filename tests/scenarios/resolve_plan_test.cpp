// Are the job's size, its degrees, schedule and layers decided, and is each fault between sections pointed at?
#include "scenarios/resolve/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/resolve_fixture.hpp"

namespace trainsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Degrees and batch

TEST_F(Resolve, GivesDataTheGpusThatAreLeft) {
  const Plan plan = resolved(kBase).plan;
  EXPECT_EQ(plan.data, 2);
  EXPECT_EQ(plan.micro_batches, 4);
  EXPECT_EQ(plan.ranks(), 16);
}

TEST_F(Resolve, AnExplicitDataDegreeMustMultiplyOut) {
  EXPECT_THAT(
      faults(changed({{"  pipeline: 2\n", "  pipeline: 2\n  data: 4\n"}})),
      ElementsAre("4 | parallelism.data: tensor 4 x context 1 x data 4 x pipeline 2 = 32, but the job has 16 GPUs; "
                  "2, or auto"));
}

TEST_F(Resolve, PointsAtTheDegreeThatDoesNotDivideTheGpus) {
  EXPECT_THAT(
      faults(changed({{"pipeline: 2", "pipeline: 3"}})),
      ElementsAre("3 | parallelism.pipeline: tensor 4 x context 1 x pipeline 3 does not divide the job's 16 GPUs; "
                  "a pipeline that divides 4, such as 2 or 4"));
}

TEST_F(Resolve, TheBatchMustDivideByReplicasTimesMicroBatch) {
  EXPECT_THAT(
      faults(changed({{"global_batch_size: 16", "global_batch_size: 18"}})),
      ElementsAre("18 | training.global_batch_size: 18 sequences do not divide by data 2 x micro_batch_size 2 = 4; "
                  "a multiple of 4, such as 16 or 20"));
}

TEST_F(Resolve, MicroBatchesAreLimited) {
  EXPECT_THAT(resolved(changed({{"global_batch_size: 16", "global_batch_size: 400000"}})).plan.micro_batches, 100000);
  EXPECT_THAT(faults(changed({{"global_batch_size: 16", "global_batch_size: 400004"}})),
              ElementsAre(HasSubstr("100001 micro-batches per step are too many; at most 100000")));
}

TEST(SaturatingProduct, StopsAtTheLargestNumber) {
  EXPECT_EQ(saturating_product({3, 4, 5}), 60);
  EXPECT_EQ(saturating_product({std::int64_t{1} << 40, std::int64_t{1} << 40}), INT64_MAX);
}

TEST(DivisorsNear, NamesTheClosestOnBothSides) {
  EXPECT_EQ(divisors_near(16, 3), "2 or 4");
  EXPECT_EQ(divisors_near(16, 99), "16");
}

// Size of the job

TEST_F(Resolve, GpusAreAWholeNumberOfNodes) {
  EXPECT_THAT(
      faults(changed({{"nodes: 2", "gpus: 20"}})),
      ElementsAre("20 | cluster.gpus: 20 GPUs are no whole number of nodes of 8; a multiple of 8, such as 16 or 24, "
                  "or fewer than 8"));
  EXPECT_THAT(resolved(changed({{"nodes: 2", "gpus: 16"}})).fabric.nodes, 2U);
}

TEST_F(Resolve, AJobMayFillPartOfOneNode) {
  const ResolvedScenario part = resolved(changed({{"nodes: 2", "gpus: 4"}, {"pipeline: 2", "pipeline: 1"}}));
  EXPECT_THAT(part.gpu_of_rank, SizeIs(4));
  EXPECT_EQ(part.topology.gpus().size(), 8U);
}

TEST_F(Resolve, UsesOnlySoManyGpusOfEachNode) {
  const ResolvedScenario half = resolved(changed({{"nodes: 2", "nodes: 2\n  gpus_per_node: 4"}}));
  EXPECT_THAT(half.gpu_of_rank,
              ElementsAre(GpuId{0}, GpuId{1}, GpuId{2}, GpuId{3}, GpuId{8}, GpuId{9}, GpuId{10}, GpuId{11}));
  EXPECT_THAT(faults(changed({{"nodes: 2", "nodes: 2\n  gpus_per_node: 9"}})),
              ElementsAre("9 | cluster.gpus_per_node: 9 GPUs, but a node has 8; at most 8"));
}

TEST_F(Resolve, RefusesMoreThanAMillionGpus) {
  EXPECT_THAT(faults(changed({{"nodes: 2", "nodes: 131073"}})),
              ElementsAre("131073 | cluster.nodes: 1048584 GPUs are too many; at most 1048576"));
}

// Shapes

TEST_F(Resolve, TensorDividesHeadsAndWidths) {
  EXPECT_THAT(faults(changed({{"attention_heads: 16", "attention_heads: 18"},
                              {"kv_heads: 8", "kv_heads: 18"},
                              {"    vocab", "    head_dim: 64\n    vocab"}})),
              ElementsAre("4 | parallelism.tensor: the model's 18 attention heads do not divide by 4; "
                          "a divisor of 18, such as 3 or 6"));
  EXPECT_THAT(faults(changed({{"ffn_hidden_size: 4096", "ffn_hidden_size: 4098"}})),
              ElementsAre(HasSubstr("4 | parallelism.tensor: the model's ffn_hidden_size 4098 does not divide by 4")));
  EXPECT_THAT(faults(changed({{"hidden_size: 1024", "hidden_size: 1022\n    head_dim: 64"}})),
              ElementsAre(HasSubstr("4 | parallelism.tensor: the model's hidden_size 1022 does not divide by 4")));
}

TEST_F(Resolve, FewerKeyValueHeadsThanTensorRanksAreReplicatedWithANote) {
  EXPECT_THAT(resolved(changed({{"kv_heads: 8", "kv_heads: 2"}})).notes,
              ElementsAre("each of the 2 key-value heads is held by 2 tensor ranks, because tensor is 4"));
  EXPECT_THAT(resolved(kBase).notes, IsEmpty());
  EXPECT_THAT(faults(changed({{"attention_heads: 16", "attention_heads: 12"},
                              {"kv_heads: 8", "kv_heads: 3"},
                              {"    vocab", "    head_dim: 64\n    vocab"}})),
              ElementsAre(HasSubstr("4 is no multiple of the model's 3 key-value heads")));
}

TEST_F(Resolve, NotesAPaddedVocabulary) {
  EXPECT_THAT(resolved(changed({{"vocab_size: 32000", "vocab_size: 32001"}})).notes,
              ElementsAre("the vocabulary of 32001 is padded to 32004, a multiple of tensor 4"));
}

TEST_F(Resolve, TheSequenceDividesByTensorWithSequenceParallelism) {
  const std::string odd = changed({{"sequence_length: 2048", "sequence_length: 2050"}});
  EXPECT_THAT(faults(odd), ElementsAre("2050 | training.sequence_length: 2050 tokens do not divide by tensor 4 "
                                       "(sequence_parallel); a multiple of 4"));
  EXPECT_THAT(faults(changed({{"sequence_length: 2048", "sequence_length: 2050"},
                              {"  tensor: 4\n", "  tensor: 4\n  sequence_parallel: false\n"}})),
              IsEmpty());
}

// Schedule and layers

TEST_F(Resolve, VirtualStagesMakeTheScheduleInterleaved) {
  const Plan plan = resolved(changed({{"pipeline: 2", "pipeline: 2\n  virtual_stages: 2"}})).plan;
  EXPECT_EQ(plan.schedule, ScheduleKind::interleaved);
  EXPECT_THAT(plan.layers_per_chunk, ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(resolved(kBase).plan.schedule, ScheduleKind::one_f_one_b);
}

TEST_F(Resolve, ScheduleAndVirtualStagesMustAgree) {
  EXPECT_THAT(faults(changed({{"pipeline: 2", "pipeline: 2\n  schedule: interleaved"}})),
              ElementsAre(HasSubstr("interleaved | parallelism.schedule: interleaved needs several chunks")));
  EXPECT_THAT(faults(changed({{"pipeline: 2", "pipeline: 2\n  virtual_stages: 2\n  schedule: gpipe"}})),
              ElementsAre(HasSubstr("gpipe | parallelism.schedule: gpipe runs one chunk per pipeline rank")));
  EXPECT_THAT(faults(changed({{"pipeline: 2", "pipeline: 1\n  virtual_stages: 2"}})),
              ElementsAre(HasSubstr("2 | parallelism.virtual_stages: 2 chunks per pipeline rank need a pipeline")));
}

TEST_F(Resolve, InterleavingNeedsGroupsOfMicroBatches) {
  EXPECT_THAT(faults(changed({{"pipeline: 2", "pipeline: 2\n  virtual_stages: 2\n  schedule: interleaved"},
                              {"global_batch_size: 16", "global_batch_size: 12"}})),
              ElementsAre(HasSubstr("interleaved | parallelism.schedule: interleaved needs micro-batches in groups of "
                                    "pipeline 2, but a step has 3")));
}

// Embedding and loss may have a chunk of their own.
TEST_F(Resolve, ChunksAreNoMoreThanLayersAndEnds) {
  EXPECT_THAT(resolved(changed({{"pipeline: 2", "pipeline: 2\n  virtual_stages: 5"}})).plan.layers_per_chunk,
              ElementsAre(0, 1, 1, 1, 1, 1, 1, 1, 1, 0));
  EXPECT_THAT(
      faults(changed({{"pipeline: 2", "pipeline: 2\n  virtual_stages: 6"}})),
      ElementsAre("6 | parallelism.virtual_stages: pipeline 2 x virtual_stages 6 = 12 chunks, but the model has 8 "
                  "layers; at most 5"));
}

TEST_F(Resolve, WrittenLayersMustFitThePipeline) {
  EXPECT_THAT(resolved(changed({{"pipeline: 2", "pipeline: 2\n  layers_per_stage: [3, 5]"}})).plan.layers_per_chunk,
              ElementsAre(3, 5));
  EXPECT_THAT(faults(changed({{"pipeline: 2", "pipeline: 2\n  layers_per_stage: [3, 3, 2]"}})),
              ElementsAre("[3, 3, 2] | parallelism.layers_per_stage: 3 entries, but pipeline 2 x virtual_stages 1 = 2 "
                          "chunks; auto, or 2 entries"));
  EXPECT_THAT(faults(changed({{"pipeline: 2", "pipeline: 2\n  layers_per_stage: [3, 4]"}})),
              ElementsAre(HasSubstr("the entries sum to 7, but the model has 8 layers")));
}

TEST_F(Resolve, RecomputesAllLayersUnlessToldHowMany) {
  EXPECT_EQ(resolved(changed({{"pipeline: 2", "pipeline: 2\n  recompute: full"}})).plan.recomputed_layers, 4);
  EXPECT_EQ(
      resolved(changed({{"pipeline: 2", "pipeline: 2\n  recompute: {kind: full, layers: 1}"}})).plan.recomputed_layers,
      1);
  EXPECT_THAT(
      faults(changed({{"pipeline: 2", "pipeline: 2\n  recompute: {kind: full, layers: 5}"}})),
      ElementsAre(
          "5} | parallelism.recompute.layers: 5 layers, but no chunk of the pipeline has more than 4; at most 4"));
}

// Context

TEST_F(Resolve, ContextRanksShareDataAndTheSequence) {
  const Plan plan = resolved(changed({{"pipeline: 2", "context: 2"}})).plan;
  EXPECT_EQ(plan.data, 2);
  EXPECT_EQ(plan.context_kind, ContextKind::ring);
  EXPECT_TRUE(plan.balances_context);
  EXPECT_THAT(faults(changed({{"pipeline: 2", "context: 4"}, {"sequence_length: 2048", "sequence_length: 2056"}})),
              ElementsAre(HasSubstr("2056 tokens do not divide by context 4 x tensor 4; a multiple of 16")));
  EXPECT_THAT(faults(changed({{"tensor: 4", "tensor: 1"},
                              {"pipeline: 2", "context: 4"},
                              {"sequence_length: 2048", "sequence_length: 2044"}})),
              ElementsAre(HasSubstr("2044 tokens do not divide by 2 x context 4: each rank gets an early and a late "
                                    "piece; a multiple of 8")));
}

TEST_F(Resolve, AnUnmaskedSequenceAndUlyssesNeedNoBalance) {
  const std::string odd = changed(
      {{"tensor: 4", "tensor: 1"}, {"pipeline: 2", "context: 4"}, {"sequence_length: 2048", "sequence_length: 2044"}});
  const auto with = [&odd](const std::string& from, const std::string& to) {
    std::string text = odd;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_FALSE(resolved(with("context: 4", "context: 4\n  context_kind: ulysses")).plan.balances_context);
  EXPECT_FALSE(resolved(with("    vocab", "    attention: bidirectional\n    vocab")).plan.balances_context);
}

TEST_F(Resolve, UlyssesSplitsHeadsByTensorAndContext) {
  const std::string ulysses = changed({{"pipeline: 2", "context: 4\n  context_kind: ulysses"}});
  EXPECT_EQ(resolved(ulysses).plan.context_kind, ContextKind::ulysses);
  EXPECT_THAT(faults(changed({{"pipeline: 2", "context: 4\n  context_kind: ulysses"},
                              {"attention_heads: 16", "attention_heads: 8"}})),
              ElementsAre("4 | parallelism.context: the model's 8 attention heads do not divide by tensor 4 x context "
                          "4 = 16, which ulysses needs; a product that divides 8, such as 8, or context_kind: ring"));
  EXPECT_THAT(
      faults(changed({{"pipeline: 2", "context: 4\n  context_kind: ulysses"},
                      {"attention_heads: 16", "attention_heads: 48"},
                      {"kv_heads: 8", "kv_heads: 12"},
                      {"    vocab", "    head_dim: 64\n    vocab"}})),
      ElementsAre(HasSubstr("12 key-value heads neither divide by tensor 4 x context 4 = 16 nor are repeated")));
}

TEST_F(Resolve, ContextRanksNeedFusedAttention) {
  EXPECT_THAT(
      faults(changed({{"pipeline: 2", "context: 2"}}) + "software: {flash_attention: 0}\n"),
      ElementsAre("2 | parallelism.context: 2 ranks share a sequence, but software.flash_attention is 0; 1, or fused "
                  "attention"));
}

// Experts

std::string mixture(const std::vector<std::pair<std::string, std::string>>& more = {}) {
  std::vector<std::pair<std::string, std::string>> changes = {
      {"    gated_mlp", "    moe: {experts: 8, top_k: 2, expert_ffn_hidden_size: 1536}\n    gated_mlp"}};
  changes.insert(changes.end(), more.begin(), more.end());
  return changed(changes);
}

TEST_F(Resolve, ExpertsAreSplitByTensorUnlessTheyAreSpread) {
  EXPECT_EQ(resolved(mixture()).plan.expert_tensor, 4);
  const Plan spread = resolved(mixture({{"pipeline: 2", "expert: 8"}})).plan;
  EXPECT_EQ(spread.expert_tensor, 1);
  EXPECT_EQ(spread.expert_replicas(), 2);
  EXPECT_EQ(resolved(mixture({{"pipeline: 2", "expert: 4\n  expert_tensor: 2"}})).plan.expert_replicas(), 2);
  EXPECT_EQ(resolved(kBase).plan.expert_tensor, 4);
}

TEST_F(Resolve, ExpertDegreesMustDivide) {
  EXPECT_THAT(faults(mixture({{"pipeline: 2", "expert: 3"}})),
              ElementsAre("3 | parallelism.expert: the model's 8 experts do not divide by 3; a divisor of 8, such as 2 "
                          "or 4",
                          "3 | parallelism.expert: expert 3 x expert_tensor 1 = 3 does not divide tensor 4 x context 1 "
                          "x data 4 = 16; degrees whose product divides 16, such as 2 or 4"));
  EXPECT_THAT(faults(mixture({{"pipeline: 2", "expert: 8\n  expert_tensor: 4"}})),
              ElementsAre(HasSubstr("expert 8 x expert_tensor 4 = 32 does not divide")));
  EXPECT_THAT(faults(mixture({{"1536", "1538"}})),
              ElementsAre(HasSubstr("| parallelism.expert_tensor: an expert's ffn_hidden_size 1538 does not divide by "
                                    "4; a divisor of 1538, such as 2 or 769")));
}

TEST_F(Resolve, ExpertsWithTensorRanksNeedSequenceParallelism) {
  EXPECT_THAT(faults(mixture({{"pipeline: 2", "sequence_parallel: false"}})),
              ElementsAre("false | parallelism.sequence_parallel: experts with tensor 4 need sequence parallelism; "
                          "true, or tensor: 1"));
}

TEST_F(Resolve, OnlyAModelWithExpertsHasExpertRanks) {
  EXPECT_THAT(faults(changed({{"pipeline: 2", "expert: 2\n  expert_tensor: 3"}})),
              ElementsAre("2 | parallelism.expert: 2 expert ranks, but the model has no experts; 1",
                          "3 | parallelism.expert_tensor: 3, but the model has no experts; auto"));
}

TEST_F(Resolve, TensorDividesTheDenseMlpOnlyWhereThereIsOne) {
  EXPECT_THAT(faults(mixture({{"ffn_hidden_size: 4096", "ffn_hidden_size: 4098"}})), IsEmpty());
  EXPECT_THAT(faults(mixture({{"ffn_hidden_size: 4096", "ffn_hidden_size: 4098"},
                              {"top_k: 2,", "top_k: 2, first_dense_layers: 1,"}})),
              ElementsAre(HasSubstr("the model's ffn_hidden_size 4098 does not divide by 4")));
  EXPECT_THAT(
      faults(mixture({{"pipeline: 2", "expert: 8"}, {"1536", "1538"}, {"top_k: 2,", "top_k: 2, shared_experts: 1,"}})),
      ElementsAre(HasSubstr("the model's shared experts' ffn_hidden_size 1538 does not divide by 4")));
}

// Sharding

TEST_F(Resolve, FullShardingSpreadsOverDataAndContextUnlessAGroupIsGiven) {
  const auto plan = [this](const std::string& lines) { return resolved(changed({{"pipeline: 2", lines}})).plan; };
  const Plan full = plan("sharding: full");
  EXPECT_EQ(full.sharding, ShardingKind::full);
  EXPECT_EQ(full.sharding_group, 4);
  EXPECT_TRUE(full.reshards_after_forward);
  EXPECT_TRUE(full.reduces_every_micro_batch);
  EXPECT_EQ(plan("context: 2\n  sharding: full").sharding_group, 4);
  EXPECT_EQ(plan("sharding: {kind: full, group: 2}").sharding_group, 2);
  EXPECT_FALSE(plan("sharding: {kind: full, reshard_after_forward: false}").reshards_after_forward);
  EXPECT_THAT(faults(changed({{"pipeline: 2", "sharding: {kind: full, group: 3}"}})),
              ElementsAre(HasSubstr("| parallelism.sharding.group: 3 ranks do not divide data 4 x context 1 = 4; a "
                                    "divisor of 4, such as 2 or 4")));
}

TEST_F(Resolve, AStageKeepsFullGradientsOverMicroBatchesWhenWeightsStayGathered) {
  const auto reduces = [this](const std::string& pipeline, const std::string& reshards) {
    return resolved(
               changed({{"pipeline: 2", "pipeline: " + pipeline +
                                            "\n  sharding: {kind: full, reshard_after_forward: " + reshards + "}"}}))
        .plan.reduces_every_micro_batch;
  };
  EXPECT_TRUE(reduces("1", "true"));
  EXPECT_TRUE(reduces("1", "false"));
  EXPECT_TRUE(reduces("2", "true"));
  EXPECT_FALSE(reduces("2", "false"));
}

// Precision and optimizer

TEST_F(Resolve, ScalesOperandsBelowSixteenBits) {
  const auto plan = [this](const std::string& training) {
    return resolved(changed({{"precision: bf16", training}})).plan;
  };
  EXPECT_EQ(plan("precision: fp8").scaling, catalog_stack("megatron-core").scaling);
  EXPECT_EQ(plan("precision: fp8\n  scaling: blockwise").scaling, ScalingKind::blockwise);
  EXPECT_FALSE(resolved(kBase).scenario.training.scaling.has_value());
  EXPECT_THAT(faults(changed({{"precision: bf16", "precision: nvfp4"}})),
              ElementsAre(HasSubstr("nvfp4 | training.precision: ")));
}

TEST_F(Resolve, KeepsMomentsInFullPrecisionUnlessToldOtherwise) {
  const auto state = [this](const std::string& optimizer) {
    return resolved(changed({{"precision: bf16", "precision: bf16\n  optimizer: " + optimizer}})).plan.optimizer_state;
  };
  EXPECT_EQ(state("muon"), "fp32");
  EXPECT_EQ(state("adam8bit"), "fp8");
  EXPECT_EQ(state("{kind: adamw, state: bf16}"), "bf16");
}

}  // namespace
}  // namespace trainsim
