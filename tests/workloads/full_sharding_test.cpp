// Full sharding (ZeRO-3, FSDP): what is sent, when it is launched, and what it waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data_passes.hpp"
#include "small_job.hpp"

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
using test::waits_of;
using test::with_adapters;
using testing::ElementsAre;
using testing::IsEmpty;

Plan sharded_plan(const Model& model, std::int64_t data = 8) {
  Plan plan = small_plan(model);
  plan.sharding = ShardingKind::full;
  plan.data = data;
  plan.sharding_group = data;
  plan.micro_batches = 3;
  plan.global_batch_size = plan.micro_batch_size * plan.micro_batches * data;
  plan.overlap.gradient_reduce = plan.overlap.parameter_gather = true;
  return plan;
}

// Parts 3 (embedding), 2, 1 (layers), 0 (head): few enough to write their order out.
Model two_layers() {
  Model model = small_llama();
  model.layers = 2;
  return model;
}

Plan one_pass(const Model& model) {
  Plan plan = sharded_plan(model);
  plan.micro_batches = 1;
  return plan;
}

std::string part_of(const Collective& collective, const Model& model) {
  const bool is_gather = collective.kind == CollectiveKind::all_gather;
  const double parameters = collective.bytes / (is_gather ? 2 : 4);
  const std::string what = is_gather ? "gather " : "scatter ";
  if (parameters == embedding_parameters(model).total()) return what + "embedding";
  if (parameters == head_parameters(model).total()) return what + "head";
  return what + "layer";
}

std::vector<std::string> order(const Program& program, const Model& model) {
  std::vector<std::string> result;
  for (const Collective& collective : collectives(program, Stream::data_comm)) {
    result.push_back(part_of(collective, model));
  }
  return result;
}

TEST(FullSharding, SendsTwoGathersAndOneScatterOfEveryPartPerMicroBatch) {
  const Model model = small_llama();
  Plan plan = sharded_plan(model);
  plan.reduces_every_micro_batch = true;
  const Program program = data_program(model, plan);
  const double all = parameter_count(model);
  const double head = head_parameters(model).total();
  // The head is gathered once, for both passes.
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_gather, Group::shard), 3 * 2 * (2 * all - head));
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::reduce_scatter, Group::shard), 3 * 4 * all);
  EXPECT_DOUBLE_EQ(sent_bytes(program, plan), 7.0 / 8 * 3 * (2 * (2 * all - head) + 4 * all));
}

TEST(FullSharding, ScattersGradientsOnceWhenTheyAreAccumulatedWhole) {
  const Model model = small_llama();
  const Program program = data_program(model, sharded_plan(model));
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::reduce_scatter, Group::shard), 4 * parameter_count(model));
}

TEST(FullSharding, GathersOncePerStepWhenWeightsStayWhole) {
  const Model model = small_llama();
  Plan plan = sharded_plan(model);
  plan.reshards_after_forward = false;
  plan.reduces_every_micro_batch = true;
  const Program program = data_program(model, plan);
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_gather, Group::shard), 2 * parameter_count(model));
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::reduce_scatter, Group::shard), 3 * 4 * parameter_count(model));
}

TEST(FullSharding, WidthsAreThoseOfThePlan) {
  const Model model = small_llama();
  Plan plan = one_pass(model);
  plan.reshards_after_forward = false;
  plan.precision = "fp8";
  plan.grad_dtype = "bf16";
  const double all = parameter_count(model);
  const Program in_16_bits = data_program(model, plan);
  EXPECT_DOUBLE_EQ(bytes(in_16_bits, CollectiveKind::all_gather, Group::shard), 2 * all);
  EXPECT_DOUBLE_EQ(bytes(in_16_bits, CollectiveKind::reduce_scatter, Group::shard), 2 * all);
  plan.low_precision_weights = true;
  const double ends = embedding_parameters(model).total() + head_parameters(model).total();  // stay in 16 bits
  EXPECT_DOUBLE_EQ(bytes(data_program(model, plan), CollectiveKind::all_gather, Group::shard), all + ends);
}

TEST(FullSharding, OfOneRankSendsNothing) {
  const Model model = small_llama();
  const Program program = data_program(model, sharded_plan(model, 1));
  EXPECT_THAT(collectives(program, Stream::data_comm), IsEmpty());
  EXPECT_THAT(collectives(program, Stream::replica_comm), IsEmpty());
}

TEST(HybridSharding, AllReducesAShardsGradientsOverItsReplicas) {
  const Model model = small_llama();
  Plan plan = sharded_plan(model);
  plan.sharding_group = 4;
  plan.reduces_every_micro_batch = true;
  const Program program = data_program(model, plan);
  const double all = parameter_count(model);
  const double head = head_parameters(model).total();
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_reduce, Group::replica), 3 * 4 * all / 4);
  const double in_group = 3.0 / 4 * 3 * (2 * (2 * all - head) + 4 * all);
  EXPECT_DOUBLE_EQ(sent_bytes(program, plan), in_group + 2 * 1.0 / 2 * 3 * 4 * all / 4);
}

TEST(HybridSharding, ReducesOverReplicasAfterTheScatterAndBesideTheNextTransfers) {
  const Model model = two_layers();
  Plan plan = one_pass(model);
  plan.sharding_group = 4;
  const Program program = data_program(model, plan);
  StepPlayer player(program, [&](const Op& op) {
    if (op.kind == Op::Kind::work) return 10.0;
    return program.collectives[op.what].group == Group::replica ? 7.0 : 1.0;
  });
  ASSERT_TRUE(player.play());
  const std::vector<Collective> transfers = collectives(program, Stream::data_comm);
  std::size_t scatter = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (transfers[i].kind != CollectiveKind::reduce_scatter) continue;
    EXPECT_DOUBLE_EQ(player.end(0, Stream::replica_comm, scatter), player.end(0, Stream::data_comm, i) + 7);
    ++scatter;
  }
  EXPECT_EQ(scatter, 4U);
}

TEST(HybridSharding, OfOneRankPerShardIsPlainDataParallelism) {
  const Model model = small_llama();
  Plan plan = sharded_plan(model);
  plan.sharding_group = 1;
  const Program program = data_program(model, plan);
  EXPECT_THAT(collectives(program, Stream::data_comm), IsEmpty());
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_reduce, Group::replica), 4 * parameter_count(model));
}

TEST(Prefetch, GathersTheNextPartBeforeThisOnesGradientsAreScattered) {
  const Model model = two_layers();
  EXPECT_THAT(order(data_program(model, one_pass(model)), model),
              ElementsAre("gather embedding", "gather layer", "gather layer", "gather head",  // forward
                          "gather layer", "scatter head", "gather layer", "scatter layer",    // backward
                          "gather embedding", "scatter layer", "scatter embedding"));
}

TEST(Prefetch, IsLeftOutWithoutOverlap) {
  const Model model = two_layers();
  Plan plan = one_pass(model);
  plan.overlap.parameter_gather = false;
  EXPECT_THAT(order(data_program(model, plan), model),
              ElementsAre("gather embedding", "gather layer", "gather layer", "gather head",  // forward
                          "scatter head", "gather layer", "scatter layer", "gather layer",    // backward
                          "scatter layer", "gather embedding", "scatter embedding"));
}

// Works take 10, gathers 5, scatters nothing.
double fast_gathers(const Program& program, const Op& op) {
  if (op.kind == Op::Kind::work) return 10;
  return program.collectives[op.what].kind == CollectiveKind::all_gather ? 5 : 0;
}

TEST(Prefetch, HidesAllGathersButTheFirst) {
  const Model model = two_layers();
  Plan plan = one_pass(model);
  for (const bool overlaps : {true, false}) {
    plan.overlap.parameter_gather = overlaps;
    const Program program = data_program(model, plan);
    StepPlayer player(program, [&](const Op& op) { return fast_gathers(program, op); });
    ASSERT_TRUE(player.play());
    EXPECT_DOUBLE_EQ(player.makespan(), 9 * 10 + 5 * (overlaps ? 1 : 4 + 3));
  }
}

TEST(Prefetch, HasTwoPartsWholeAtMost) {
  const Model model = two_layers();
  const Program program = data_program(model, one_pass(model));
  StepPlayer player(program, [&](const Op& op) { return fast_gathers(program, op); });
  ASSERT_TRUE(player.play());
  // Each gather starts when the part but one before it is through.
  std::vector<double> starts;
  for (std::size_t i = 0; i < 4; ++i) starts.push_back(player.end(0, Stream::data_comm, i) - 5);
  EXPECT_THAT(starts, ElementsAre(0, 5, player.end(0, Stream::compute, compute_op(program, "forward 3")),
                                  player.end(0, Stream::compute, compute_op(program, "forward 2"))));
}

TEST(Prefetch, LetsAPartWaitForItsOwnGatherOnly) {
  const Model model = two_layers();
  const Program program = data_program(model, one_pass(model));
  const auto gather_before = [&](const std::string& name) {
    const std::vector<Wait> waits = waits_of(program, Stream::compute, compute_op(program, name));
    return waits.empty() ? 0U : waits.at(0).count;
  };
  EXPECT_EQ(gather_before("forward 3"), 1U);
  EXPECT_EQ(gather_before("forward 2"), 2U);
  EXPECT_EQ(gather_before("forward 0"), 4U);
  EXPECT_EQ(gather_before("backward 0"), 0U);  // still whole
  EXPECT_EQ(gather_before("backward 1"), 5U);
  EXPECT_EQ(gather_before("backward 3"), 9U);
}

TEST(FullSharding, FirstGatherWaitsForTheOptimizerOfTheStepBefore) {
  const Model model = two_layers();
  const Program program = data_program(model, one_pass(model));
  const std::vector<Wait> first = waits_of(program, Stream::data_comm, 0);
  const auto previous =
      std::find_if(first.begin(), first.end(), [](const Wait& wait) { return wait.of_previous_step; });
  ASSERT_NE(previous, first.end());
  EXPECT_EQ(previous->stream, Stream::compute);
  EXPECT_EQ(previous->count, program.stages[0].ops[index(Stream::compute)].size());
  for (const Wait& wait : waits_of(program, Stream::data_comm, 1)) EXPECT_FALSE(wait.of_previous_step);
}

TEST(FullSharding, HoldsComputeUpDuringEachReductionUnlessItOverlaps) {
  const Model model = two_layers();
  Plan plan = one_pass(model);
  plan.sharding_group = 4;
  for (const bool overlaps : {true, false}) {
    plan.overlap.gradient_reduce = overlaps;
    const Program program = data_program(model, plan);
    StepPlayer player(program, [&](const Op& op) {
      if (op.kind == Op::Kind::work) return 10.0;
      return program.collectives[op.what].kind == CollectiveKind::all_gather ? 0.0 : 2.0;
    });
    ASSERT_TRUE(player.play());
    EXPECT_DOUBLE_EQ(player.makespan(), 9 * 10 + (2 + 2) * (overlaps ? 1 : 4));
  }
}

TEST(FullSharding, KeepsATiedEmbeddingForTheHeadThatReadsIt) {
  const Model model = small_gpt();
  Plan plan = sharded_plan(model);
  const Program program = data_program(model, plan);
  const double kept = embedding_parameters(model).total() + head_parameters(model).total();
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_gather, Group::shard),
                   3 * 2 * (2 * parameter_count(model) - kept));
}

TEST(FullSharding, GathersAndScattersExpertsOverTheRanksThatHoldTheSame) {
  const Model model = small_experts(small_llama());
  Plan plan = sharded_plan(model);
  plan.expert = 2;
  plan.reshards_after_forward = false;
  const Program program = data_program(model, plan);
  const Parameters held = stage_parameters(model, plan, 0);
  ASSERT_GT(held.expert, 0);
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_gather, Group::expert_data), 2 * held.expert);
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::reduce_scatter, Group::expert_data), 4 * held.expert);
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_gather, Group::shard), 2 * held.dense);
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::reduce_scatter, Group::shard), 4 * held.dense);
  EXPECT_DOUBLE_EQ(sent_bytes(program, plan), 7.0 / 8 * 6 * held.dense + 3.0 / 4 * 6 * held.expert);
}

TEST(FullSharding, GathersFrozenWeightsAndReducesNoneOfTheirGradients) {
  const Model model = with_adapters(small_llama());
  Plan plan = sharded_plan(model);
  plan.reshards_after_forward = false;
  const Program program = data_program(model, plan);
  const Parameters held = stage_parameters(model, plan, 0);
  ASSERT_GT(held.frozen, held.dense);
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::all_gather, Group::shard), 2 * (held.dense + held.frozen));
  EXPECT_DOUBLE_EQ(bytes(program, CollectiveKind::reduce_scatter, Group::shard), 4 * held.dense);
}

}  // namespace
}  // namespace trainsim
