// What runs beside what: the textbook bubbles of the schedules, and each overlap switch of a plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "small_job.hpp"
#include "step_player.hpp"
#include "workloads/gradient_buckets.hpp"
#include "workloads/host_launches.hpp"

namespace trainsim {
namespace {

using test::flash_policy;
using test::index;
using test::small_llama;
using test::small_plan;
using test::StepPlayer;
using testing::DoubleEq;
using testing::ElementsAre;

// Layers take 1 per block forward and 2 per block backward; everything else is free.
double layers_only(const Program& program, const Op& op) {
  if (op.kind == Op::Kind::collective) return 0;
  const Work& work = program.works[op.what];
  if (!work.name.starts_with("attention") && !work.name.starts_with("mlp")) return 0;
  return work.activity == Activity::backward ? 2 : 1;
}

double makespan(const Model& model, const Plan& plan, const KernelPolicy& policy = flash_policy()) {
  const Program program = build_program(model, plan, policy);
  StepPlayer player(program, [&](const Op& op) { return layers_only(program, op); });
  EXPECT_TRUE(player.play());
  return player.makespan();
}

Plan pipeline_of_four(const Model& model, ScheduleKind schedule, std::int64_t virtual_stages) {
  Plan plan = small_plan(model);
  plan.schedule = schedule;
  plan.pipeline = 4;
  plan.virtual_stages = virtual_stages;
  plan.micro_batches = 8;
  plan.layers_per_chunk.assign(static_cast<std::size_t>(plan.chunks()), model.layers / plan.chunks());
  return plan;
}

TEST(PipelineBubble, IsTheTextbooksForGPipeAnd1F1B) {
  const Model model = small_llama();
  const double pass = 2 * 2 * (1 + 2);  // two layers of two blocks per stage, forward and backward
  for (const ScheduleKind schedule : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b}) {
    EXPECT_DOUBLE_EQ(makespan(model, pipeline_of_four(model, schedule, 1)), (8 + 4 - 1) * pass);
  }
}

TEST(PipelineBubble, ShrinksWithTheNumberOfChunksWhenInterleaved) {
  const Model model = small_llama();
  const double pass = 2 * 2 * (1 + 2);
  EXPECT_DOUBLE_EQ(makespan(model, pipeline_of_four(model, ScheduleKind::interleaved, 2)), (8 + 3 / 2.0) * pass);
}

// Ops of one stream of the only stage, by name.
std::vector<std::string> names(const Program& program, Stream stream) {
  std::vector<std::string> result;
  for (const Op& op : program.stages[0].ops[index(stream)]) {
    result.push_back(op.kind == Op::Kind::work ? program.works[op.what].name : program.collectives[op.what].name);
  }
  return result;
}

// Position of the n-th op of that name on a stream of the only stage.
std::size_t find(const Program& program, Stream stream, const std::string& name, std::size_t n = 0) {
  const std::vector<std::string> all = names(program, stream);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == name && n-- == 0) return i;
  }
  throw std::out_of_range("no such op: " + name);
}

Plan tensor_plan(const Model& model, bool sequence_parallel) {
  Plan plan = small_plan(model);
  plan.tensor = 2;
  plan.sequence_parallel = sequence_parallel;
  plan.micro_batches = 1;
  return plan;
}

TEST(WeightGradient, RunsBesideTheReductionOfTheInputsGradient) {
  const Model model = small_llama();
  const Program program = build_program(model, tensor_plan(model, false), flash_policy());
  StepPlayer player(program);
  ASSERT_TRUE(player.play());
  const std::size_t weights = find(program, Stream::compute, "mlp weight gradient");
  const double before = player.end(0, Stream::compute, weights - 1);
  EXPECT_DOUBLE_EQ(player.end(0, Stream::compute, weights), before + 1);
  // Embedding, two per layer forward, loss and head come first.
  const std::size_t reduction = 1 + static_cast<std::size_t>(2 * model.layers) + 2;
  EXPECT_DOUBLE_EQ(player.end(0, Stream::tensor_comm, reduction), before + 1);
}

TEST(WeightGradient, IsPartOfTheBackwardWorkWhenNothingOverlaps) {
  const Model model = small_llama();
  KernelPolicy policy = flash_policy();
  policy.overlaps_weight_gradient = false;
  const Program program = build_program(model, tensor_plan(model, true), policy);
  EXPECT_THROW(find(program, Stream::compute, "mlp weight gradient"), std::out_of_range);
  EXPECT_THROW(find(program, Stream::compute, "mlp data gradient"), std::out_of_range);
}

TEST(SavedInput, IsGatheredBesideTheDataGradientWithSequenceParallelism) {
  const Model model = small_llama();
  const Program program = build_program(model, tensor_plan(model, true), flash_policy());
  StepPlayer player(program);
  ASSERT_TRUE(player.play());
  const std::size_t data = find(program, Stream::compute, "attention data gradient");
  const double before = player.end(0, Stream::compute, data - 1);
  EXPECT_DOUBLE_EQ(player.end(0, Stream::compute, data), before + 1);
  EXPECT_DOUBLE_EQ(player.end(0, Stream::compute, data + 1), before + 2);  // the weight gradient has its input by then
}

TEST(SavedInput, AndEveryLaterCollectiveIsLaunchedAfterTheWeightGradientBefore) {
  const Model model = small_llama();
  const Program program = build_program(model, tensor_plan(model, true), flash_policy());
  StepPlayer player(program, [&](const Op& op) {
    return op.kind == Op::Kind::work && program.works[op.what].name == "mlp weight gradient" ? 50.0 : 1.0;
  });
  ASSERT_TRUE(player.play());
  const double weights_end = player.end(0, Stream::compute, find(program, Stream::compute, "mlp weight gradient"));
  const double next_ends = player.end(0, Stream::compute, find(program, Stream::compute, "attention backward"));
  EXPECT_DOUBLE_EQ(next_ends, weights_end + 2);  // gather of its output's gradient, then the work
}

TEST(Loss, IsReducedOverTheTensorRanksBeforeItsBackwardPass) {
  const Model model = small_llama();
  const Program program = build_program(model, tensor_plan(model, false), flash_policy());
  StepPlayer player(program);
  ASSERT_TRUE(player.play());
  const double reduced = player.end(0, Stream::tensor_comm, find(program, Stream::tensor_comm, "loss all-reduce"));
  EXPECT_DOUBLE_EQ(player.end(0, Stream::compute, find(program, Stream::compute, "head backward")), reduced + 1);
}

TEST(TensorOverlap, CutsProductsAndCollectivesIntoPiecesThatRunBesideEachOther) {
  const Model model = small_llama();
  Plan plan = tensor_plan(model, true);
  const Program whole = build_program(model, plan, flash_policy());
  plan.overlap.tensor = true;
  const Program pieces = build_program(model, plan, flash_policy());
  // A collective takes 4 and an MLP's products take 8, in pieces a quarter each; the MLP's norm costs 1 more in pieces.
  const auto play = [](const Program& program, double product, double collective) {
    StepPlayer player(program, [&](const Op& op) {
      if (op.kind == Op::Kind::collective)
        return program.collectives[op.what].group == Group::tensor ? collective : 0.0;
      return program.works[op.what].name.starts_with("mlp forward") ? product : 0.0;
    });
    EXPECT_TRUE(player.play());
    return player.end(0, Stream::compute, find(program, Stream::compute, "head forward"));
  };
  const auto layers = static_cast<double>(model.layers);
  EXPECT_LT(play(pieces, 1, 1), play(whole, 8, 4));
  EXPECT_GE(play(pieces, 1, 0), 8 * layers);
}

TEST(GradientReduce, SendsABucketOutWhileTheBackwardPassRuns) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.data = 2;
  plan.overlap.bucket_bytes = 3e5;
  for (const bool overlaps : {true, false}) {
    plan.overlap.gradient_reduce = overlaps;
    const Program program = build_program(model, plan, flash_policy());
    StepPlayer player(program);
    ASSERT_TRUE(player.play());
    const std::size_t last_backward = find(program, Stream::compute, "embedding backward", 3);
    const double backward_ends = player.end(0, Stream::compute, last_backward);
    const double last_layer_ends =
        player.end(0, Stream::compute, find(program, Stream::compute, "head backward", 3) + 2);
    const double first_bucket_ends = player.end(0, Stream::data_comm, 0);
    EXPECT_DOUBLE_EQ(first_bucket_ends, (overlaps ? last_layer_ends : backward_ends) + 1);
  }
}

TEST(GradientReduce, OfEveryMicroBatchHoldsComputeUpUnlessItOverlaps) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.data = 2;
  plan.reduces_every_micro_batch = true;
  plan.overlap.bucket_bytes = 1e9;
  plan.overlap.gradient_reduce = false;
  const Program held_up = build_program(model, plan, flash_policy());
  plan.overlap.gradient_reduce = true;
  const Program beside = build_program(model, plan, flash_policy());
  StepPlayer slow(held_up);
  StepPlayer fast(beside);
  ASSERT_TRUE(slow.play());
  ASSERT_TRUE(fast.play());
  EXPECT_EQ(held_up.stages[0].ops[index(Stream::data_comm)].size(), 4U);
  EXPECT_DOUBLE_EQ(slow.makespan(), fast.makespan() + 3);  // the last one is exposed in both
}

// Waits of an op of the only stage.
std::vector<Wait> waits_of(const Program& program, Stream stream, std::size_t at) {
  const StageProgram& stage = program.stages[0];
  const Op& op = stage.ops[index(stream)].at(at);
  const auto first = stage.waits.begin() + op.first_wait;
  return {first, first + op.wait_count};
}

TEST(ParameterGather, RunsInTheForwardPassThatWaitsForItsLayersOnly) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.data = 2;
  plan.sharding = ShardingKind::optimizer;
  plan.overlap.parameter_gather = true;
  plan.overlap.bucket_bytes = 4 * layer_parameters(model, {}).dense;
  const Program program = build_program(model, plan, flash_policy());

  const std::vector<Wait> first = waits_of(program, Stream::data_comm, 0);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(first[0].of_previous_step);
  EXPECT_EQ(first[0].stream, Stream::compute);
  EXPECT_EQ(first[0].count, program.stages[0].ops[index(Stream::compute)].size());

  EXPECT_TRUE(waits_of(program, Stream::data_comm, 1).empty());  // the stream's order says it

  StepPlayer player(program, [&](const Op& op) { return op.kind == Op::Kind::collective ? 100.0 : 1.0; });
  ASSERT_TRUE(player.play());
  const std::size_t gathers = program.stages[0].ops[index(Stream::data_comm)].size() / 2;
  // The last layer shares the last bucket to come with the head.
  const std::size_t last_layer = find(program, Stream::compute, "attention forward", 7);
  EXPECT_DOUBLE_EQ(player.end(0, Stream::compute, last_layer) - 1, 100.0 * static_cast<double>(gathers));
  const double first_layer_ends = player.end(0, Stream::compute, find(program, Stream::compute, "mlp forward"));
  EXPECT_LT(first_layer_ends, 500);  // embedding and first layer fill a few buckets of about ten
}

TEST(ParameterGather, FollowsTheOptimizerAndHoldsUpTheNextStepWhenItDoesNotOverlap) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.data = 2;
  plan.sharding = ShardingKind::gradients;
  const Program program = build_program(model, plan, flash_policy());
  const std::vector<Wait> first = waits_of(program, Stream::compute, 0);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(first[0].of_previous_step);
  EXPECT_EQ(first[0].stream, Stream::data_comm);
  EXPECT_EQ(first[0].count, program.stages[0].ops[index(Stream::data_comm)].size());
  StepPlayer player(program);
  ASSERT_TRUE(player.play());
  const std::size_t gather = find(program, Stream::data_comm, "parameter all-gather");
  EXPECT_DOUBLE_EQ(player.end(0, Stream::data_comm, gather),
                   player.end(0, Stream::compute, find(program, Stream::compute, "optimizer")) + 1);
}

TEST(PipelineOverlap, LetsAStageComputeOnWhileItSends) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.pipeline = 2;
  plan.layers_per_chunk = {4, 4};
  for (const bool overlaps : {true, false}) {
    plan.overlap.pipeline = overlaps;
    const Program program = build_program(model, plan, flash_policy());
    StepPlayer player(program);
    ASSERT_TRUE(player.play());
    const std::size_t second = find(program, Stream::compute, "embedding forward", 1);
    const double first_ends = player.end(0, Stream::compute, second - 1);
    EXPECT_DOUBLE_EQ(player.end(0, Stream::compute, second), first_ends + (overlaps ? 1 : 2));
  }
}

TEST(HostLaunches, TakeTimeForKernelsMicroBatchesAndTheStep) {
  const Model model = small_llama();
  KernelPolicy policy = flash_policy();
  policy.host = {.s_per_kernel = 1e-5, .s_per_micro_batch = 1e-3, .s_per_step = 2e-3};
  const Plan plan = small_plan(model);
  const Program program = build_program(model, plan, policy);
  const StageProgram& stage = program.stages[0];
  double seconds = 0;
  for (const Op& op : stage.ops[index(Stream::host)]) {
    seconds += std::get<HostTime>(program.works[op.what].kernels.front()).seconds;
  }
  double launched = 0;
  for (const Op& op : stage.ops[index(Stream::compute)]) {
    EXPECT_GT(op.launched_in, 0U);
    launched += launches(program.works[op.what]);
  }
  for (const Stream stream : {Stream::tensor_comm, Stream::data_comm}) {
    for (const Op& op : stage.ops[index(stream)]) launched += op.launched_in > 0 ? 1 : 0;
  }
  EXPECT_NEAR(seconds, 4 * 1e-3 + 2e-3 + launched * 1e-5, 1e-12);
  const Program without = build_program(model, plan, flash_policy());
  for (const Work& work : without.works) EXPECT_NE(work.activity, Activity::host);
}

TEST(GradientBuckets, AreFilledInTheOrderOfTheBackwardPassAndTheLastIsSmaller) {
  const GradientBuckets buckets = fill_buckets({5, 10, 10, 3}, 8);
  EXPECT_THAT(buckets.parameters, ElementsAre(DoubleEq(8), DoubleEq(8), DoubleEq(8), DoubleEq(4)));
  EXPECT_THAT(buckets.last_part, ElementsAre(1, 2, 2, 3));
}

TEST(GradientBuckets, ThatAPartJustFillsAreCompleteWithIt) {
  const GradientBuckets buckets = fill_buckets({8, 16}, 8);
  EXPECT_THAT(buckets.last_part, ElementsAre(0, 1, 1));
}

TEST(GradientBuckets, LargerThanTheChunkAreOne) {
  EXPECT_THAT(fill_buckets({1, 2}, 1e9).parameters, ElementsAre(DoubleEq(3)));
  EXPECT_THAT(fill_buckets({}, 8).parameters, ElementsAre());
  EXPECT_THROW(fill_buckets({1}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace trainsim
