// Small models and plans whose programs are quick to build and check.
#pragma once

#include <rapidcheck.h>

#include "workloads/build_program.hpp"

namespace trainsim::test {

inline Model small_gpt() {
  Model model;
  model.name = "small-gpt";
  model.layers = 8;
  model.hidden_size = 64;
  model.ffn_hidden_size = 256;
  model.attention_heads = 8;
  model.kv_heads = 8;
  model.head_dim = 8;
  model.vocab_size = 512;
  model.max_positions = 128;
  model.biases = true;
  model.dropout = true;
  model.tied_embeddings = true;
  model.norm = NormKind::layer_norm;
  model.position = PositionKind::learned;
  return model;
}

inline Model small_llama() {
  Model model;
  model.name = "small-llama";
  model.layers = 8;
  model.hidden_size = 64;
  model.ffn_hidden_size = 160;
  model.attention_heads = 8;
  model.kv_heads = 4;
  model.head_dim = 8;
  model.vocab_size = 512;
  model.gated_mlp = true;
  return model;
}

inline Plan small_plan(const Model& model) {
  Plan plan;
  plan.layers_per_chunk = {model.layers};
  plan.micro_batch_size = 2;
  plan.sequence_length = 32;
  plan.micro_batches = 4;
  plan.global_batch_size = 8;
  return plan;
}

inline KernelPolicy flash_policy() {
  KernelPolicy policy;
  policy.flash_attention = 2;
  return policy;
}

inline void draw_schedule(Plan& plan, std::int64_t layers) {
  plan.schedule = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved);
  plan.pipeline = *rc::gen::inRange<std::int64_t>(1, 5);
  plan.micro_batches = *rc::gen::inRange<std::int64_t>(1, 7);
  if (plan.schedule != ScheduleKind::one_f_one_b) plan.virtual_stages = *rc::gen::inRange<std::int64_t>(1, 4);
  if (plan.schedule == ScheduleKind::interleaved) plan.micro_batches *= plan.pipeline;
  plan.layers_per_chunk.assign(static_cast<std::size_t>(plan.chunks()), 0);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    ++plan.layers_per_chunk[static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(0, plan.chunks()))];
  }
}

// Any plan that build_program accepts, for a model of that many layers.
inline Plan any_plan(std::int64_t layers) {
  Plan plan;
  plan.tensor = *rc::gen::element<std::int64_t>(1, 2, 4);
  plan.sequence_parallel = *rc::gen::arbitrary<bool>();
  plan.data = *rc::gen::inRange<std::int64_t>(1, 4);
  draw_schedule(plan, layers);
  plan.sharding = *rc::gen::element(ShardingKind::none, ShardingKind::optimizer, ShardingKind::gradients);
  plan.reduces_every_micro_batch = *rc::gen::arbitrary<bool>();
  plan.recompute = *rc::gen::element(RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full);
  plan.recomputed_layers = *rc::gen::inRange<std::int64_t>(0, 3);
  plan.overlap.gradient_reduce = *rc::gen::arbitrary<bool>();
  plan.overlap.parameter_gather = *rc::gen::arbitrary<bool>();
  plan.overlap.tensor = *rc::gen::arbitrary<bool>();
  plan.overlap.pipeline = *rc::gen::arbitrary<bool>();
  plan.overlap.bucket_bytes = *rc::gen::element(3e4, 1e5, 1e9);
  plan.micro_batch_size = 2;
  plan.sequence_length = 32;
  plan.global_batch_size = plan.micro_batch_size * plan.micro_batches * plan.data;
  plan.grad_dtype = *rc::gen::element<std::string>("fp32", "bf16");
  return plan;
}

inline KernelPolicy any_policy() {
  KernelPolicy policy;
  policy.flash_attention = *rc::gen::inRange(0, 3);
  policy.recomputes_attention_only = *rc::gen::arbitrary<bool>();
  policy.overlaps_weight_gradient = *rc::gen::arbitrary<bool>();
  policy.scatter_gather_pipeline = *rc::gen::arbitrary<bool>();
  policy.host.s_per_kernel = *rc::gen::element(0.0, 1e-5);
  policy.host.s_per_micro_batch = *rc::gen::element(0.0, 1e-3);
  policy.host.s_per_step = *rc::gen::element(0.0, 1e-3);
  policy.host.waits_for_messages = *rc::gen::arbitrary<bool>();
  return policy;
}

}  // namespace trainsim::test
