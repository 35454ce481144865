// Layouts beyond the dense decoder: what they send and compute against closed forms, and that their programs run.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "small_job.hpp"
#include "step_player.hpp"
#include "workloads/chunk_layout.hpp"
#include "workloads/expert_block.hpp"
#include "workloads/expert_load.hpp"
#include "workloads/transformer_layer.hpp"

namespace trainsim {
namespace {

using test::flash_policy;
using test::small_llama;
using test::small_plan;
using test::StepPlayer;

Model with_experts() {
  Model model = small_llama();
  Experts experts;
  experts.experts = 8;
  experts.top_k = 2;
  experts.ffn_hidden_size = 32;
  experts.shared_experts = 1;
  experts.first_dense_layers = 2;
  model.experts = experts;
  return model;
}

double flops(const Kernel& kernel) {
  if (const auto* product = std::get_if<MatMul>(&kernel)) {
    return 2 * product->m * product->n * product->k * product->count * product->repeats;
  }
  const auto* attention = std::get_if<FusedAttention>(&kernel);
  if (attention == nullptr) return 0;
  const double forward = 2 * attention->batch * attention->heads * attention->queries * attention->attended_keys *
                         (attention->qk_dim + attention->v_dim);
  return forward * (attention->is_backward ? 2.5 : 1);
}

// Over one rank of each stage and one step.
double flops(const Program& program, Activity activity) {
  double sum = 0;
  for (const StageProgram& stage : program.stages) {
    for (const Op& op : stage.ops[static_cast<std::size_t>(Stream::compute)]) {
      const Work& work = program.works[op.what];
      if (work.activity != activity) continue;
      for (const Kernel& kernel : work.kernels) sum += flops(kernel);
    }
  }
  return sum;
}

struct Sent {
  double bytes = 0;
  int ops = 0;
};

Sent sent(const Program& program, Group group, CollectiveKind kind) {
  Sent sum;
  for (const StageProgram& stage : program.stages) {
    for (const Op& op : stage.ops[static_cast<std::size_t>(stream_of(group))]) {
      const Collective& collective = program.collectives[op.what];
      if (collective.group != group || collective.kind != kind) continue;
      sum.bytes += collective.bytes;
      ++sum.ops;
    }
  }
  return sum;
}

double tokens(const Plan& plan) {
  return static_cast<double>(plan.micro_batch_size * plan.sequence_length * plan.micro_batches);
}

// Six of eight layers have experts: each token's two copies go out and come back, forward and backward.
TEST(Experts, SendEveryCopyOutAndBackInBothDirections) {
  const Model model = with_experts();
  Plan plan = small_plan(model);
  plan.data = 4;
  plan.expert = 4;
  const Sent exchanged = sent(build_program(model, plan, flash_policy()), Group::expert, CollectiveKind::all_to_all);
  EXPECT_EQ(exchanged.ops, 6 * 4 * 4);
  EXPECT_DOUBLE_EQ(exchanged.bytes, 6 * 4 * tokens(plan) * 2 * 64 * 2);
}

TEST(Experts, OnTensorRanksRouteTheirOwnPartOfTheSequence) {
  const Model model = with_experts();
  Plan plan = small_plan(model);
  plan.tensor = 2;
  plan.sequence_parallel = true;
  plan.expert = 2;
  const Sent exchanged = sent(build_program(model, plan, flash_policy()), Group::expert, CollectiveKind::all_to_all);
  EXPECT_DOUBLE_EQ(exchanged.bytes, 6 * 4 * tokens(plan) / 2 * 2 * 64 * 2);
}

TEST(Experts, ThatRanksShareGatherTheirRowsAndAddUpTheirResults) {
  const Model model = with_experts();
  Plan plan = small_plan(model);
  plan.tensor = 2;
  plan.sequence_parallel = true;
  plan.expert_tensor = 2;
  const Program program = build_program(model, plan, flash_policy());
  const double rows = 6 * tokens(plan) * 2 * 64 * 2;  // of both ranks
  EXPECT_DOUBLE_EQ(sent(program, Group::expert_tensor, CollectiveKind::all_gather).bytes, 2 * rows);
  EXPECT_DOUBLE_EQ(sent(program, Group::expert_tensor, CollectiveKind::reduce_scatter).bytes, 2 * rows);
  EXPECT_EQ(sent(program, Group::expert, CollectiveKind::all_to_all).ops, 0);
}

// The model's own count: forward a third of model_flops_per_token, except that backward attention takes five products.
TEST(Experts, ComputeTheFlopsOfTheActiveParameters) {
  const Model model = with_experts();
  const Plan plan = small_plan(model);
  const double expected = model_flops_per_token(model, plan.sequence_length) / 3 * tokens(plan);
  EXPECT_NEAR(flops(build_program(model, plan, flash_policy()), Activity::forward) / expected, 1, 1e-12);
}

TEST(Experts, WorkAsLongAsTheFullestRank) {
  Model model = with_experts();
  Plan plan = small_plan(model);
  plan.data = 4;
  plan.expert = 4;
  const double balanced = dispatched_bytes(model, plan);
  model.experts->power_law = 1;
  const double load = fullest_rank_load(*model.experts, 4);
  EXPECT_GT(load, 1);
  EXPECT_DOUBLE_EQ(dispatched_bytes(model, plan), load * balanced);
}

Plan context_plan(const Model& model, ContextKind kind) {
  Plan plan = small_plan(model);
  plan.context = 4;
  plan.context_kind = kind;
  return plan;
}

TEST(RingAttention, SendsKeysAndValuesRoundAndTheirGradientsHome) {
  const Model model = small_llama();
  const Plan plan = context_plan(model, ContextKind::ring);
  const Sent shifted = sent(build_program(model, plan, flash_policy()), Group::context, CollectiveKind::ring_shift);
  const double keys_and_values = 2.0 * 32 / 4 * 2 * 4 * 8 * 2;
  EXPECT_EQ(shifted.ops, 4 * 8 * (3 + 4));
  EXPECT_DOUBLE_EQ(shifted.bytes, 4 * 8 * keys_and_values * (3 + 2 * 3 + 1));
}

TEST(Ulysses, ExchangesHeadsForPositionsAndBack) {
  const Model model = small_llama();
  const Plan plan = context_plan(model, ContextKind::ulysses);
  const Sent exchanged = sent(build_program(model, plan, flash_policy()), Group::context, CollectiveKind::all_to_all);
  const double tokens_here = 2.0 * 32 / 4;
  EXPECT_EQ(exchanged.ops, 4 * 8 * 4);
  EXPECT_DOUBLE_EQ(exchanged.bytes, 4 * 8 * 2 * tokens_here * (8 + 2 * 4 + 8) * 8 * 2);
}

TEST(RingAttention, ComputesPiecesWithoutAMask) {
  const Model model = small_llama();
  const BlockKernels block = attention_block(model, {}, context_plan(model, ContextKind::ring), flash_policy());
  const auto& piece = std::get<FusedAttention>(block.core.front());
  EXPECT_EQ(piece.queries, 32 / 4);
  EXPECT_EQ(piece.keys, piece.attended_keys);
  EXPECT_EQ(piece.attended_keys, 32 / 4 / 2);
}

TEST(ContextParallelism, SharesTheFlopsEquallyWhenBalanced) {
  const Model model = small_llama();
  const double whole = flops(build_program(model, small_plan(model), flash_policy()), Activity::forward);
  for (const ContextKind kind : {ContextKind::ring, ContextKind::ulysses}) {
    const Plan plan = context_plan(model, kind);
    EXPECT_NEAR(4 * flops(build_program(model, plan, flash_policy()), Activity::forward) / whole, 1, 1e-12);
  }
}

TEST(ContextParallelism, TakesAsLongAsTheLastRankWhenNotBalanced) {
  const Model model = small_llama();
  Plan plan = context_plan(model, ContextKind::ring);
  const auto attention_flops = [&] {
    const BlockKernels block = attention_block(model, {}, plan, flash_policy());
    return block.core_pieces * flops(block.core.front());
  };
  const double balanced = attention_flops();
  plan.balances_context = false;
  EXPECT_DOUBLE_EQ(attention_flops(), (2 - 1.0 / 4) * balanced);
}

// Where pieces take longer than shifts, only the last shift of a backward pass, which has nothing to run beside, shows.
TEST(RingAttention, HidesItsShiftsBehindTheCore) {
  const Model model = small_llama();
  const Plan plan = context_plan(model, ContextKind::ring);
  const Program program = build_program(model, plan, flash_policy());
  const auto seconds = [&](double shift_s) {
    StepPlayer player(program, [&](const Op& op) {
      if (op.kind == Op::Kind::collective) return program.collectives[op.what].group == Group::context ? shift_s : 0;
      const std::string& name = program.works[op.what].name;
      return name.ends_with("forward core") || name.ends_with("backward core") ? 1.0 : 0.0;
    });
    EXPECT_TRUE(player.play());
    return player.makespan();
  };
  const double passes = 4 * 8;
  EXPECT_DOUBLE_EQ(seconds(0), passes * (4 + 4));
  EXPECT_DOUBLE_EQ(seconds(0.5), passes * (4 + 4 + 0.5));
  EXPECT_GT(seconds(1.5), passes * (4 + 4 + 1.5));
}

TEST(Lora, LeavesOutTheWeightGradientsOfTheBase) {
  Model model = small_llama();
  const Plan plan = small_plan(model);
  const double base = flops(build_program(model, plan, flash_policy()), Activity::backward);
  const double forward = flops(build_program(model, plan, flash_policy()), Activity::forward);
  model.lora = Lora{.rank = 1};
  const Program program = build_program(model, plan, flash_policy());
  EXPECT_DOUBLE_EQ(flops(program, Activity::forward), forward);
  const double products = 2 * (active_parameter_count(model) - vocabulary_parameters(model) - 17 * 64) * tokens(plan);
  EXPECT_NEAR((base - flops(program, Activity::backward)) / products, 1, 1e-12);
}

TEST(Lora, TrainsTwoThinMatricesBesideEachAdaptedOne) {
  Model model = small_llama();
  model.lora = Lora{.rank = 4, .qkv = true, .o = true};
  EXPECT_DOUBLE_EQ(trained_parameter_count(model), 8 * 4.0 * ((64 + 128) + (64 + 64)));
  const Plan plan = small_plan(model);
  const double expected = model_flops_per_token(model, plan.sequence_length) * tokens(plan);
  const Program program = build_program(model, plan, flash_policy());
  const double attention = 0.5 * 8 * 4 * 64 * 16 * tokens(plan);  // five products backward where the count has four
  const double all = flops(program, Activity::forward) + flops(program, Activity::backward);
  EXPECT_NEAR((all - attention) / expected, 1, 1e-12);
}

TEST(LowPrecision, CastsWhatProductsReadAsTheRecipeDoes) {
  Plan plan;
  plan.precision = "fp8";
  plan.scaling = ScalingKind::delayed;
  EXPECT_EQ(cast_bytes_per_element(plan), 1 + 1);
  plan.scaling = ScalingKind::current;
  EXPECT_EQ(cast_bytes_per_element(plan), 2 + 2 + 1 + 1);
  plan.precision = "nvfp4";
  plan.scaling = ScalingKind::blockwise;
  EXPECT_EQ(cast_bytes_per_element(plan), 2 + 0.5 + 0.5);
  plan.precision = "bf16";
  EXPECT_EQ(cast_bytes_per_element(plan), 0);
}

TEST(Muon, OrthogonalisesEveryMatrixByFiveIterations) {
  const Model model = small_llama();
  Plan plan = small_plan(model);
  plan.optimizer = "muon";
  const auto iteration = [](double m, double n) { return 4 * m * m * n + 2 * m * m * m; };
  const double layer = iteration(64, 128) + iteration(64, 64) + iteration(64, 320) + iteration(64, 160);
  EXPECT_DOUBLE_EQ(flops(build_program(model, plan, flash_policy()), Activity::optimizer), 8 * 5 * layer);
}

// Programs of every mixture of layouts come to their end.
TEST(Layouts, RunToTheirEnd) {
  EXPECT_TRUE(rc::check([] {
    Model model = *rc::gen::arbitrary<bool>() ? with_experts() : small_llama();
    if (*rc::gen::arbitrary<bool>()) model.window = 16;
    model.window_every_n_layers = *rc::gen::inRange<std::int64_t>(1, 3);
    Plan plan = test::any_plan(model.layers);
    plan.context = *rc::gen::element<std::int64_t>(1, 2);
    plan.context_kind = *rc::gen::element(ContextKind::ring, ContextKind::ulysses);
    plan.sharding =
        *rc::gen::element(ShardingKind::none, ShardingKind::optimizer, ShardingKind::gradients, ShardingKind::full);
    plan.data = *rc::gen::element<std::int64_t>(1, 2, 4);
    plan.sharding_group = *rc::gen::arbitrary<bool>() ? plan.data_ranks() : plan.data;
    plan.reshards_after_forward = *rc::gen::arbitrary<bool>();
    plan.sequence_parallel = plan.tensor > 1;
    if (model.experts && *rc::gen::arbitrary<bool>()) plan.expert = plan.data * plan.context;
    if (plan.expert == 1) plan.expert_tensor = plan.tensor;
    KernelPolicy policy = test::any_policy();
    if (plan.context > 1) policy.flash_attention = 2;
    const Program program = build_program(model, plan, policy);
    StepPlayer player(program, [](const Op& op) { return op.kind == Op::Kind::work ? 1.0 : 0.5; });
    RC_ASSERT(player.play());
  }));
}

}  // namespace
}  // namespace trainsim
