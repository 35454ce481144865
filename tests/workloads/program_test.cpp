// What programs must hold whatever the plan: they run to their end, waits make sense, works and bytes add up.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "small_job.hpp"
#include "step_player.hpp"
#include "workloads/chunk_layout.hpp"

namespace trainsim {
namespace {

using test::any_plan;
using test::any_policy;
using test::flash_policy;
using test::index;
using test::small_gpt;
using test::small_llama;
using test::small_plan;
using test::StepPlayer;

// Totals over one rank of each stage and one step.
struct Totals {
  std::array<double, 6> flops{};                                      // by Activity
  std::array<std::array<double, kCollectiveKinds>, kGroups> bytes{};  // by Group and CollectiveKind

  [[nodiscard]] double flops_of(Activity activity) const { return flops[static_cast<std::size_t>(activity)]; }
  [[nodiscard]] double bytes_of(Group group, CollectiveKind kind) const {
    return bytes[static_cast<std::size_t>(group)][static_cast<std::size_t>(kind)];
  }
};

double flops(const Kernel& kernel) {
  if (const auto* product = std::get_if<MatMul>(&kernel))
    return 2 * product->m * product->n * product->k * product->count;
  const auto* attention = std::get_if<FusedAttention>(&kernel);
  if (attention == nullptr) return 0;
  const double forward = 2 * attention->batch * attention->heads * attention->queries * attention->attended_keys *
                         (attention->qk_dim + attention->v_dim);
  return forward * (attention->is_backward ? 2.5 : 1.0);
}

Totals totals(const Program& program) {
  Totals sum;
  for (const StageProgram& stage : program.stages) {
    for (const std::vector<Op>& ops : stage.ops) {
      for (const Op& op : ops) {
        if (op.kind == Op::Kind::collective) {
          const Collective& collective = program.collectives.at(op.what);
          sum.bytes[static_cast<std::size_t>(collective.group)][static_cast<std::size_t>(collective.kind)] +=
              collective.bytes;
          continue;
        }
        const Work& work = program.works.at(op.what);
        for (const Kernel& kernel : work.kernels) sum.flops[static_cast<std::size_t>(work.activity)] += flops(kernel);
      }
    }
  }
  return sum;
}

bool is_near(double value, double expected) { return std::abs(value - expected) <= 1e-9 * std::abs(expected); }

double tokens(const Plan& plan) {
  return static_cast<double>(plan.micro_batches * plan.micro_batch_size * plan.sequence_length);
}

Model any_model() { return *rc::gen::arbitrary<bool>() ? small_gpt() : small_llama(); }

TEST(Program, OfAnyPlanRunsToItsEnd) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Program program = build_program(model, any_plan(model.layers), any_policy());
    RC_ASSERT(StepPlayer(program).play());
  }));
}

// Counts of a step's waits stay within the step, and never point behind the waiting op on its own stream.
void expect_sound_waits(const StageProgram& stage) {
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    for (std::size_t at = 0; at < stage.ops[stream].size(); ++at) {
      const Op& op = stage.ops[stream][at];
      for (std::size_t w = op.first_wait; w < op.first_wait + op.wait_count; ++w) {
        const Wait& wait = stage.waits.at(w);
        if (wait.kind == Wait::Kind::message) continue;
        RC_ASSERT(wait.count <= stage.ops[index(wait.stream)].size());
        RC_ASSERT(wait.of_previous_step || index(wait.stream) != stream || wait.count <= at);
      }
    }
  }
}

TEST(Program, WaitsOnlyForWhatExists) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Program program = build_program(model, any_plan(model.layers), any_policy());
    for (const StageProgram& stage : program.stages) expect_sound_waits(stage);
  }));
}

TEST(Program, WaitsForEveryMessageThatIsSentAndNoMore) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Program program = build_program(model, any_plan(model.layers), any_policy());
    StepPlayer player(program);
    player.play();
    for (std::size_t s = 0; s < program.stages.size(); ++s) {
      std::array<std::uint32_t, 2> waited{};
      for (const Wait& wait : program.stages[s].waits) {
        if (wait.kind != Wait::Kind::message) continue;
        auto& most = waited[wait.from == Group::pipeline_forward ? 0 : 1];
        most = std::max(most, wait.count);
      }
      RC_ASSERT(waited[0] == player.received(s, Group::pipeline_forward));
      RC_ASSERT(waited[1] == player.received(s, Group::pipeline_backward));
    }
  }));
}

TEST(Program, KeepsEachWorkAndCollectiveOnce) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Program program = build_program(model, any_plan(model.layers), any_policy());
    for (std::size_t i = 0; i < program.works.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) RC_ASSERT(!(program.works[i] == program.works[k]));
    }
    for (std::size_t i = 0; i < program.collectives.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) RC_ASSERT(!(program.collectives[i] == program.collectives[k]));
    }
  }));
}

TEST(Program, ComputesTheModelsForwardFlops) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    const Totals sum = totals(build_program(model, plan, flash_policy()));
    const double forward = model_flops_per_token(model, plan.sequence_length) / 3 * tokens(plan);
    RC_ASSERT(is_near(sum.flops_of(Activity::forward) * static_cast<double>(plan.tensor), forward));
  }));
}

TEST(Program, ComputesTwiceTheProductsBackwardAndAttentionTwoAndAHalfTimes) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    const Totals sum = totals(build_program(model, plan, flash_policy()));
    const double attention = 2.0 * static_cast<double>(plan.sequence_length * model.attention_heads * model.head_dim) *
                             static_cast<double>(model.layers) * tokens(plan) / static_cast<double>(plan.tensor);
    RC_ASSERT(is_near(sum.flops_of(Activity::backward), 2 * sum.flops_of(Activity::forward) + 0.5 * attention));
  }));
}

TEST(Program, UnfusedAttentionComputesTheFullSquareAlsoWhenCausal) {
  const Model model = small_gpt();
  const Plan plan = small_plan(model);
  const double scores_and_values = 4.0 *
                                   static_cast<double>(plan.sequence_length * model.attention_heads * model.head_dim) *
                                   static_cast<double>(model.layers) * tokens(plan);
  const Totals fused = totals(build_program(model, plan, flash_policy()));
  const Totals unfused = totals(build_program(model, plan, KernelPolicy{}));
  EXPECT_DOUBLE_EQ(unfused.flops_of(Activity::forward) - fused.flops_of(Activity::forward), scores_and_values / 2);
  EXPECT_DOUBLE_EQ(unfused.flops_of(Activity::backward), 2 * unfused.flops_of(Activity::forward));
}

TEST(Program, FullRecomputationRunsTheLayersForwardAgain) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.recompute = RecomputeKind::full;
  const Totals sum = totals(build_program(model, plan, flash_policy()));
  const double logits = 2.0 * static_cast<double>(model.hidden_size * model.vocab_size) * tokens(plan);
  EXPECT_DOUBLE_EQ(sum.flops_of(Activity::recompute), sum.flops_of(Activity::forward) - logits);

  plan.recomputed_layers = 3;  // of 8
  const Totals some = totals(build_program(model, plan, flash_policy()));
  EXPECT_DOUBLE_EQ(some.flops_of(Activity::recompute), sum.flops_of(Activity::recompute) * 3 / 8);
}

TEST(Program, SelectiveRecomputationRunsTheUnfusedAttentionCoreAgainAndNothingOfAFusedOne) {
  const Model model = small_gpt();
  Plan plan = small_plan(model);
  plan.recompute = RecomputeKind::selective;
  const double core = 4.0 * static_cast<double>(plan.sequence_length * model.attention_heads * model.head_dim) *
                      static_cast<double>(model.layers) * tokens(plan);
  EXPECT_DOUBLE_EQ(totals(build_program(model, plan, KernelPolicy{})).flops_of(Activity::recompute), core);
  EXPECT_EQ(totals(build_program(model, plan, flash_policy())).flops_of(Activity::recompute), 0);
}

// Layers over all chunks whose forward pass runs again.
double recomputed_layers(const Plan& plan) {
  std::int64_t count = 0;
  for (std::int64_t chunk = 0; chunk < plan.chunks(); ++chunk) count += plan.recomputed_in_chunk(chunk);
  return static_cast<double>(count);
}

TEST(Program, SendsTheClosedFormOfTensorBytes) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    const Totals sum = totals(build_program(model, plan, flash_policy()));
    const double hidden = tokens(plan) * static_cast<double>(model.hidden_size) * 2;
    const double loss = 12 * tokens(plan);
    const auto layers = static_cast<double>(model.layers);
    const double again = recomputed_layers(plan);
    double all_reduce = loss;
    double all_gather = 0;
    double reduce_scatter = 0;
    if (plan.sequence_parallel) {
      all_gather = (6 * layers + 2 * again + 3) * hidden;  // embedding 1 (backward), head 2
      reduce_scatter = (4 * layers + 2 * again + 2) * hidden;
    } else {
      all_reduce += (4 * layers + 2 * again + 2) * hidden;
    }
    const double some = plan.tensor > 1 ? 1 : 0;
    RC_ASSERT(is_near(sum.bytes_of(Group::tensor, CollectiveKind::all_reduce), some * all_reduce));
    RC_ASSERT(is_near(sum.bytes_of(Group::tensor, CollectiveKind::all_gather), some * all_gather));
    RC_ASSERT(is_near(sum.bytes_of(Group::tensor, CollectiveKind::reduce_scatter), some * reduce_scatter));
  }));
}

TEST(Program, SendsTheHiddenStatesBetweenChunksOncePerDirection) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    KernelPolicy policy = flash_policy();
    policy.scatter_gather_pipeline = *rc::gen::arbitrary<bool>();
    const Totals sum = totals(build_program(model, plan, policy));
    const double shares =
        plan.sequence_parallel || policy.scatter_gather_pipeline ? static_cast<double>(plan.tensor) : 1;
    const double hidden = tokens(plan) * static_cast<double>(model.hidden_size) * 2 / shares;
    const double borders = plan.pipeline > 1 ? static_cast<double>(plan.chunks() - 1) : 0;
    RC_ASSERT(is_near(sum.bytes_of(Group::pipeline_forward, CollectiveKind::send), borders * hidden));
    RC_ASSERT(is_near(sum.bytes_of(Group::pipeline_backward, CollectiveKind::send), borders * hidden));
  }));
}

TEST(Program, GathersScatteredMessagesAtTheirReceiver) {
  const Model model = small_gpt();
  Plan plan = small_plan(model);
  plan.tensor = 2;
  plan.pipeline = 2;
  plan.layers_per_chunk = {4, 4};
  KernelPolicy policy = flash_policy();
  policy.scatter_gather_pipeline = true;
  const double hidden = tokens(plan) * static_cast<double>(model.hidden_size) * 2;
  EXPECT_DOUBLE_EQ(totals(build_program(model, plan, policy)).bytes_of(Group::tensor, CollectiveKind::all_gather),
                   2 * hidden);
}

TEST(Program, ReducesEveryGradientAndGathersEveryShardedParameterOnce) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    const Totals sum = totals(build_program(model, plan, flash_policy()));
    double parameters = 0;
    for (std::int64_t stage = 0; stage < plan.pipeline; ++stage)
      parameters += stage_parameters(model, plan, stage).dense;
    if (plan.data == 1) parameters = 0;
    const double times = plan.reduces_every_micro_batch ? static_cast<double>(plan.micro_batches) : 1;
    const double gradients = parameters * element_bytes(plan.grad_dtype) * times;
    const bool is_sharded = plan.sharding != ShardingKind::none;
    RC_ASSERT(is_near(sum.bytes_of(Group::data, CollectiveKind::all_reduce), is_sharded ? 0 : gradients));
    RC_ASSERT(is_near(sum.bytes_of(Group::data, CollectiveKind::reduce_scatter), is_sharded ? gradients : 0));
    RC_ASSERT(is_near(sum.bytes_of(Group::data, CollectiveKind::all_gather), is_sharded ? 2 * parameters : 0));
  }));
}

TEST(Program, ReducesATiedEmbeddingBetweenFirstAndLastStage) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    const Totals sum = totals(build_program(model, plan, flash_policy()));
    const double table = vocabulary_parameters(model, plan.tensor) * element_bytes(plan.grad_dtype);
    const bool is_shared = model.tied_embeddings && plan.pipeline > 1;
    RC_ASSERT(is_near(sum.bytes_of(Group::embedding, CollectiveKind::all_reduce), is_shared ? 2 * table : 0));
  }));
}

TEST(Program, MeasuresTheGradientNormWhenEveryGradientIsReduced) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Program program = build_program(model, any_plan(model.layers), any_policy());
    StepPlayer player(program);
    RC_ASSERT(player.play());
    for (std::size_t s = 0; s < program.stages.size(); ++s) {
      const StageProgram& stage = program.stages[s];
      const std::vector<Op>& compute = stage.ops[index(Stream::compute)];
      const auto norm = std::find_if(compute.begin(), compute.end(),
                                     [&](const Op& op) { return program.works[op.what].name == "gradient norm"; });
      if (norm == compute.end()) continue;  // a stage without layers
      const double start = player.end(s, Stream::compute, static_cast<std::size_t>(norm - compute.begin())) - 1;
      const std::vector<Op>& data = stage.ops[index(Stream::data_comm)];
      for (std::size_t at = 0; at < data.size(); ++at) {
        if (program.collectives[data[at].what].name == "parameter all-gather") continue;
        RC_ASSERT(player.end(s, Stream::data_comm, at) <= start);
      }
    }
  }));
}

TEST(Program, UpdatesEveryParameterOfTheShard) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    KernelPolicy policy = flash_policy();
    const Program program = build_program(model, plan, policy);
    const double shards = plan.sharding == ShardingKind::none ? 1 : static_cast<double>(plan.data);
    for (std::size_t s = 0; s < program.stages.size(); ++s) {
      const double parameters = stage_parameters(model, plan, static_cast<std::int64_t>(s)).dense / shards;
      double bytes = 0;
      for (const Op& op : program.stages[s].ops[index(Stream::compute)]) {
        for (const Kernel& kernel : program.works[op.what].kernels) {
          const auto* memory = std::get_if<MemoryBound>(&kernel);
          if (memory != nullptr && memory->is_optimizer) bytes += memory->bytes;
        }
      }
      RC_ASSERT(is_near(bytes, parameters * policy.optimizer_bytes_per_parameter));
    }
  }));
}

double optimizer_bytes(const std::string& optimizer) {
  Plan plan = small_plan(small_llama());
  plan.optimizer = optimizer;
  double bytes = 0;
  for (const Work& work : build_program(small_llama(), plan, flash_policy()).works) {
    for (const Kernel& kernel : work.kernels) {
      const auto* memory = std::get_if<MemoryBound>(&kernel);
      if (memory != nullptr && memory->is_optimizer) bytes += memory->bytes;
    }
  }
  return bytes;
}

// Each 32-bit moment that an optimizer does not keep is neither read nor written: 8 bytes less per parameter.
TEST(Program, AnOptimizerWithFewerMomentsMovesFewerBytes) {
  const double parameters = stage_parameters(small_llama(), small_plan(small_llama()), 0).dense;
  EXPECT_DOUBLE_EQ(optimizer_bytes("adam") - optimizer_bytes("momentum"), 8 * parameters);
  EXPECT_DOUBLE_EQ(optimizer_bytes("momentum") - optimizer_bytes("sgd"), 8 * parameters);
  EXPECT_DOUBLE_EQ(optimizer_bytes("adamw"), optimizer_bytes("adam"));
}

TEST(Program, TheLeastOpsAreNoMoreThanThoseBuilt) {
  EXPECT_TRUE(rc::check([] {
    const Model model = any_model();
    const Plan plan = any_plan(model.layers);
    const Program program = build_program(model, plan, any_policy());
    const std::vector<double> least = least_ops_by_stage(model, plan);
    for (std::size_t s = 0; s < program.stages.size(); ++s) {
      double ops = 0;
      for (const auto& stream : program.stages[s].ops) ops += static_cast<double>(stream.size());
      RC_ASSERT(least[s] <= ops);
    }
  }));
}

}  // namespace
}  // namespace trainsim
