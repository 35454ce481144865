// Whole weights with bucketed gradients (DDP, ZeRO-1 and 2): what is sent, and which buckets a part fills and waits
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data_passes.hpp"
#include "small_job.hpp"
#include "workloads/gradient_buckets.hpp"

namespace trainsim {
namespace {

using test::bytes;
using test::collectives;
using test::compute_op;
using test::data_program;
using test::index;
using test::sent_bytes;
using test::small_experts;
using test::small_gpt;
using test::small_llama;
using test::small_plan;
using test::StepPlayer;
using test::with_adapters;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

Plan data_plan(const Model& model, ShardingKind sharding) {
  Plan plan = small_plan(model);
  plan.sharding = sharding;
  plan.data = 8;
  plan.micro_batches = 3;
  plan.global_batch_size = plan.micro_batch_size * plan.micro_batches * plan.data;
  plan.overlap.bucket_bytes = 1e5;
  return plan;
}

TEST(DataParallel, AllReducesEveryGradientOncePerStep) {
  const Model model = small_llama();
  const Plan plan = data_plan(model, ShardingKind::none);
  const double all = parameter_count(model);
  EXPECT_NEAR(sent_bytes(data_program(model, plan), plan), 2 * 7.0 / 8 * 4 * all, 1e-6);
}

TEST(DataParallel, SendsTheSameWithShardsAndGathersWeightsIn16Bits) {
  const Model model = small_llama();
  const double all = parameter_count(model);
  for (const ShardingKind sharding : {ShardingKind::optimizer, ShardingKind::gradients}) {
    for (const bool overlaps : {false, true}) {
      Plan plan = data_plan(model, sharding);
      plan.overlap.gradient_reduce = plan.overlap.parameter_gather = overlaps;
      const Program program = data_program(model, plan);
      EXPECT_NEAR(bytes(program, CollectiveKind::reduce_scatter, Group::data), 4 * all, 1e-6);
      EXPECT_NEAR(bytes(program, CollectiveKind::all_gather, Group::data), 2 * all, 1e-6);
      EXPECT_NEAR(sent_bytes(program, plan), 7.0 / 8 * (4 + 2) * all, 1e-6);
    }
  }
}

TEST(DataParallel, ReducesEveryMicroBatchWhereThePlanSaysSo) {
  const Model model = small_llama();
  Plan plan = data_plan(model, ShardingKind::gradients);
  plan.reduces_every_micro_batch = true;
  const Program program = data_program(model, plan);
  EXPECT_NEAR(bytes(program, CollectiveKind::reduce_scatter, Group::data), 3 * 4 * parameter_count(model), 1e-6);
}

TEST(DataParallel, GathersOperandsBelow16BitsWhereThePlanSaysSo) {
  const Model model = small_llama();
  Plan plan = data_plan(model, ShardingKind::optimizer);
  plan.precision = "fp8";
  EXPECT_NEAR(bytes(data_program(model, plan), CollectiveKind::all_gather, Group::data), 2 * parameter_count(model),
              1e-6);
  plan.low_precision_weights = true;
  const double ends = embedding_parameters(model).total() + head_parameters(model).total();  // stay in 16 bits
  EXPECT_NEAR(bytes(data_program(model, plan), CollectiveKind::all_gather, Group::data), parameter_count(model) + ends,
              1e-6);
}

TEST(DataParallel, ReducesAdaptersOnly) {
  const Model model = with_adapters(small_gpt());
  const Plan plan = data_plan(model, ShardingKind::none);
  const Program program = data_program(model, plan);
  EXPECT_NEAR(sent_bytes(program, plan), 2 * 7.0 / 8 * 4 * trained_parameter_count(model), 1e-6);
}

TEST(DataParallel, ReducesExpertsOverTheRanksThatHoldTheSame) {
  const Model model = small_experts(small_llama());
  for (const ShardingKind sharding : {ShardingKind::none, ShardingKind::optimizer}) {
    Plan plan = data_plan(model, sharding);
    plan.expert = 4;
    const Program program = data_program(model, plan);
    const Parameters held = stage_parameters(model, plan, 0);
    const CollectiveKind kind =
        sharding == ShardingKind::none ? CollectiveKind::all_reduce : CollectiveKind::reduce_scatter;
    EXPECT_NEAR(bytes(program, kind, Group::data), 4 * held.dense, 1e-6);
    EXPECT_NEAR(bytes(program, kind, Group::expert_data), 4 * held.expert, 1e-6);
    const double gathered = sharding == ShardingKind::none ? 0 : 2;
    EXPECT_NEAR(bytes(program, CollectiveKind::all_gather, Group::expert_data), gathered * held.expert, 1e-6);
  }
}

TEST(DataParallel, SendsNothingForExpertsWithoutReplicas) {
  Model model = small_experts(small_llama());
  model.experts->experts = 8;
  Plan plan = data_plan(model, ShardingKind::optimizer);
  plan.expert = 8;
  for (const Collective& collective : collectives(data_program(model, plan), Stream::data_comm)) {
    EXPECT_EQ(collective.group, Group::data);
  }
}

// Gradients of every part go out with it, experts' too: their buckets are a part's share.
TEST(ExpertBuckets, GoOutAsSoonAsTheirOwnGradientsAreComplete) {
  Model model = small_experts(small_llama());
  model.layers = 2;  // the last one has experts
  Plan plan = data_plan(model, ShardingKind::none);
  plan.layers_per_chunk = {2};
  plan.micro_batches = 1;
  plan.overlap.gradient_reduce = true;
  plan.overlap.bucket_bytes = 1e9;
  const Program program = data_program(model, plan);
  const std::vector<Collective> reductions = collectives(program, Stream::data_comm);
  ASSERT_EQ(reductions.size(), 2U);
  EXPECT_EQ(reductions[0].group, Group::expert_data);
  EXPECT_EQ(reductions[1].group, Group::data);
  StepPlayer player(program);
  ASSERT_TRUE(player.play());
  const auto end_of = [&](const char* name) { return player.end(0, Stream::compute, compute_op(program, name)); };
  EXPECT_DOUBLE_EQ(player.end(0, Stream::data_comm, 0), end_of("backward 1") + 1);
  EXPECT_DOUBLE_EQ(player.end(0, Stream::data_comm, 1), end_of("backward 3") + 1);
}

TEST(ExpertBuckets, AreGatheredBeforeTheFirstLayerThatHasExperts) {
  Model model = small_experts(small_llama());
  model.layers = 2;
  Plan plan = data_plan(model, ShardingKind::optimizer);
  plan.layers_per_chunk = {2};
  plan.micro_batches = 1;
  plan.overlap.parameter_gather = true;
  plan.overlap.bucket_bytes = 1e9;
  const Program program = data_program(model, plan);
  StepPlayer player(program, [](const Op& op) { return op.kind == Op::Kind::collective ? 100.0 : 1.0; });
  ASSERT_TRUE(player.play());
  const auto start_of = [&](const char* name) { return player.end(0, Stream::compute, compute_op(program, name)) - 1; };
  EXPECT_DOUBLE_EQ(start_of("forward 3"), 100);
  EXPECT_DOUBLE_EQ(start_of("forward 2"), 101);
  EXPECT_DOUBLE_EQ(start_of("forward 1"), 200);
  EXPECT_DOUBLE_EQ(start_of("forward 0"), 201);
}

TEST(ParameterGather, IsWaitedForInTheFirstForwardPassOnly) {
  const Model model = small_llama();
  Plan plan = data_plan(model, ShardingKind::optimizer);
  plan.overlap.parameter_gather = true;
  const Program program = data_program(model, plan);
  EXPECT_FALSE(test::waits_of(program, Stream::compute, compute_op(program, "forward 9", 0)).empty());
  EXPECT_THAT(test::waits_of(program, Stream::compute, compute_op(program, "forward 9", 1)), IsEmpty());
  EXPECT_THAT(test::waits_of(program, Stream::compute, compute_op(program, "backward 0", 0)), IsEmpty());
}

TEST(UpdatedParameters, AreAllOfThemOrARanksShare) {
  const Model model = small_experts(small_llama());
  Plan plan = data_plan(model, ShardingKind::none);
  plan.expert = 2;
  const std::vector<ChunkLayout> layouts = chunk_layouts(model, plan, 0);
  const Parameters held = stage_parameters(model, plan, 0);
  EXPECT_EQ(updated_parameters(model, plan, layouts), held);
  plan.sharding = ShardingKind::gradients;
  EXPECT_DOUBLE_EQ(updated_parameters(model, plan, layouts).dense, held.dense / 8);
  EXPECT_DOUBLE_EQ(updated_parameters(model, plan, layouts).expert, held.expert / 4);
  plan.sharding = ShardingKind::full;
  plan.sharding_group = 2;
  EXPECT_DOUBLE_EQ(updated_parameters(model, plan, layouts).dense, held.dense / 2);
  EXPECT_DOUBLE_EQ(updated_parameters(model, plan, layouts).expert, held.expert / 4);
}

TEST(UpdatedParameters, AreTheAdaptersOfAFrozenBase) {
  const Model model = with_adapters(small_llama());
  const Plan plan = data_plan(model, ShardingKind::none);
  const Parameters updated = updated_parameters(model, plan, chunk_layouts(model, plan, 0));
  EXPECT_DOUBLE_EQ(updated.dense, trained_parameter_count(model));
  EXPECT_DOUBLE_EQ(updated.frozen, 0);
}

TEST(TiedEmbedding, IsReducedBetweenFirstAndLastStageAfterTheBuckets) {
  const Model model = small_gpt();
  for (const ShardingKind sharding : {ShardingKind::none, ShardingKind::optimizer, ShardingKind::full}) {
    Plan plan = data_plan(model, sharding);
    plan.pipeline = 2;
    plan.layers_per_chunk = {4, 4};
    plan.sharding_group = sharding == ShardingKind::full ? 8 : 1;
    const double whole = 4 * vocabulary_parameters(model);
    const Program program = data_program(model, plan);
    EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_reduce, Group::embedding),
                     sharding == ShardingKind::full ? whole / 8 : whole);
    EXPECT_DOUBLE_EQ(bytes(data_program(with_adapters(model), plan), CollectiveKind::all_reduce, Group::embedding), 0);
  }
}

TEST(GradientBuckets, EndWithTheLastPartThatFillsThem) {
  const GradientBuckets buckets = fill_buckets({0, 8, 4, 0}, 8);
  EXPECT_THAT(buckets.parameters, ElementsAre(DoubleEq(8), DoubleEq(4)));
  EXPECT_THAT(buckets.last_part, ElementsAre(1, 2));
}

TEST(GradientBuckets, AreNoneWithoutGradients) {
  EXPECT_THAT(fill_buckets({0, 0}, 8).parameters, IsEmpty());
  EXPECT_THAT(fill_buckets({0, 0}, 8).last_part, IsEmpty());
}

}  // namespace
}  // namespace trainsim
