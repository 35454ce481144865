// Kernels of a layer against formulas written out by hand.
#include "workloads/transformer_layer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "small_job.hpp"

namespace trainsim {
namespace {

using test::flash_policy;
using test::small_gpt;
using test::small_llama;
using test::small_plan;

template <class T>
std::vector<T> only(const std::vector<Kernel>& kernels) {
  std::vector<T> result;
  for (const Kernel& kernel : kernels) {
    if (const auto* one = std::get_if<T>(&kernel)) result.push_back(*one);
  }
  return result;
}

double memory_bytes(const std::vector<Kernel>& kernels) {
  double bytes = 0;
  for (const MemoryBound& kernel : only<MemoryBound>(kernels)) bytes += kernel.bytes;
  return bytes;
}

Plan split_plan(const Model& model, bool sequence_parallel) {
  Plan plan = small_plan(model);
  plan.tensor = 4;
  plan.sequence_parallel = sequence_parallel;
  return plan;
}

TEST(TransformerLayer, OfAGptMakesTheCountedPassesOverTheHiddenStates) {
  const Model model = small_gpt();
  for (const bool sequence_parallel : {false, true}) {
    const Plan plan = split_plan(model, sequence_parallel);
    const BlockKernels attention = attention_block(model, {}, plan, KernelPolicy{});
    const BlockKernels mlp = mlp_block(model, plan, KernelPolicy{});
    const double sp = sequence_parallel ? 4 : 1;
    const double f_over_h = 4;
    const double hidden = hidden_bytes(model, plan);
    EXPECT_DOUBLE_EQ(hidden, 2.0 * 32 * 64 * 2);
    EXPECT_DOUBLE_EQ(memory_bytes(attention.lead) + memory_bytes(mlp.lead),
                     hidden * ((4 + 7) / sp + 8.0 / 4 + 2 * f_over_h / 4));
    const double scores = 2.0 * 8 / 4 * 32 * 32 * 2;
    EXPECT_DOUBLE_EQ(memory_bytes(attention.core), 4.5 * scores);
    EXPECT_DOUBLE_EQ(memory_bytes(attention.core_backward), 6.5 * scores);
    EXPECT_DOUBLE_EQ(memory_bytes(attention.backward) + memory_bytes(mlp.backward),
                     hidden * ((6 + 5 + 6) / sp + 8.0 / 4 + 3 * f_over_h / 4));
  }
}

TEST(TransformerLayer, OfAGatedModelWithFusedAttentionMakesFewerPassesOverTheHiddenStates) {
  const Model model = small_llama();
  const Plan plan = split_plan(model, true);
  KernelPolicy policy = flash_policy();
  policy.elementwise_pass_factor = 2;
  const BlockKernels attention = attention_block(model, {}, plan, policy);
  const BlockKernels mlp = mlp_block(model, plan, policy);
  const double f_over_h = 160.0 / 64;
  const double hidden = hidden_bytes(model, plan);
  EXPECT_DOUBLE_EQ(memory_bytes(attention.lead) + memory_bytes(mlp.lead),
                   2 * hidden * ((4 + 6) / 4.0 + 4.0 / 4 + 5 * f_over_h / 4));
  EXPECT_DOUBLE_EQ(memory_bytes(attention.backward) + memory_bytes(mlp.backward),
                   2 * hidden * (15 / 4.0 + 6.0 / 4 + 1.6 * 5 * f_over_h / 4));
}

TEST(TransformerLayer, SplitsColumnsThenRowsOverTheTensorRanks) {
  const Model model = small_llama();
  const Plan plan = split_plan(model, false);
  const BlockKernels attention = attention_block(model, {}, plan, flash_policy());
  EXPECT_EQ(only<MatMul>(attention.column_product).at(0), (MatMul{64, (2 + 2 * 1) * 8, 64}));
  EXPECT_EQ(only<MatMul>(attention.row_product).at(0), (MatMul{64, 64, 2 * 8}));
  EXPECT_EQ(only<FusedAttention>(attention.core).at(0), (FusedAttention{2, 2, 32, 32, 16, 8, 8, false}));
  const BlockKernels mlp = mlp_block(model, plan, flash_policy());
  EXPECT_EQ(only<MatMul>(mlp.column_product).at(0), (MatMul{64, 2 * 160 / 4, 64}));
  EXPECT_EQ(only<MatMul>(mlp.row_product).at(0), (MatMul{64, 64, 160 / 4}));
  EXPECT_EQ(only<MatMul>(mlp.data_gradient).at(0), (MatMul{64, 64, 2 * 160 / 4}));
  EXPECT_EQ(only<MatMul>(mlp.weight_gradient).at(0), (MatMul{2 * 160 / 4, 64, 64, 1, true}));
}

TEST(TransformerLayer, AccumulatesWeightGradientsInFp32OnlyWhereThePlanSaysSo) {
  const Model model = small_gpt();
  Plan plan = small_plan(model);
  EXPECT_TRUE(only<MatMul>(mlp_block(model, plan, KernelPolicy{}).weight_gradient).at(0).accumulates_fp32);
  plan.grad_dtype = "bf16";
  EXPECT_FALSE(only<MatMul>(mlp_block(model, plan, KernelPolicy{}).weight_gradient).at(0).accumulates_fp32);
}

TEST(TransformerLayer, KeepsLogitsAndAttentionProductsIn16Bits) {
  const Model model = small_gpt();
  const Plan plan = small_plan(model);
  for (const MatMul& product : only<MatMul>(attention_block(model, {}, plan, KernelPolicy{}).core)) {
    EXPECT_TRUE(product.stays_16_bit);
  }
  EXPECT_TRUE(only<MatMul>(head_block(model, plan, KernelPolicy{}).column_product).at(0).stays_16_bit);
  EXPECT_FALSE(only<MatMul>(mlp_block(model, plan, KernelPolicy{}).row_product).at(0).stays_16_bit);
}

TEST(TransformerLayer, FallsBackToPlainSoftmaxWhereTheFusedOneDoesNotTakeTheShape) {
  const Model model = small_gpt();
  Plan plan = small_plan(model);
  KernelPolicy policy;
  const auto core = [&] { return only<MemoryBound>(attention_block(model, {}, plan, policy).core).at(0); };
  const MemoryBound fused = core();
  const double sequences = only<MatMul>(attention_block(model, {}, plan, policy).core).at(0).count;
  policy.fused_softmax_multiple = sequences;
  EXPECT_EQ(core(), fused);
  policy.fused_softmax_multiple = sequences + 1;
  EXPECT_DOUBLE_EQ(core().bytes / fused.bytes, 20.0 / 4.5);
  EXPECT_EQ(core().kernels, 9);
}

TEST(TransformerLayer, SplitsTheLossTrafficBetweenForwardAndBackward) {
  const Model model = small_llama();
  const Plan plan = split_plan(model, false);
  KernelPolicy policy = flash_policy();
  policy.loss_bytes_per_logit = 20;
  const double logits = 64.0 * 512 / 4;
  const BlockKernels head = head_block(model, plan, policy);
  EXPECT_DOUBLE_EQ(memory_bytes(head.core), 10 * logits);
  EXPECT_DOUBLE_EQ(memory_bytes(head.backward), 10 * logits + 3 * hidden_bytes(model, plan));
}

TEST(SelectiveRecomputation, OfAStackThatRecomputesMoreRunsEverySecondProductAgain) {
  const Model model = small_llama();
  const Plan plan = small_plan(model);
  KernelPolicy policy = flash_policy();
  EXPECT_TRUE(attention_block(model, {}, plan, policy).selective.empty());
  EXPECT_TRUE(mlp_block(model, plan, policy).selective.empty());
  policy.recomputes_attention_only = false;
  EXPECT_EQ(only<MatMul>(attention_block(model, {}, plan, policy).selective).size(), 2U);
  EXPECT_EQ(only<MatMul>(mlp_block(model, plan, policy).selective).size(), 1U);
}

}  // namespace
}  // namespace trainsim
