// How the model is spread over ranks and time: a resolved plan, every default filled in.
// Invariants: ranks = tensor x context x data x pipeline; layers_per_chunk has pipeline x virtual_stages entries that
// sum to the model's layers; global_batch_size = data x micro_batch_size x micro_batches; expert x expert_tensor
// divides tensor x context x data; sharding_group divides data x context; context above 1 goes with fused attention.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace trainsim {

enum class ScheduleKind : std::uint8_t { gpipe, one_f_one_b, interleaved };
enum class ShardingKind : std::uint8_t { none, optimizer, gradients, full };  // ZeRO-0, 1, 2, 3
enum class RecomputeKind : std::uint8_t { none, selective, full };
enum class Axis : std::uint8_t { tensor, context, data, pipeline };
// How ranks share a sequence: keys and values go round (arXiv 2310.01889), or heads are exchanged for positions (arXiv
// 2309.14509).
enum class ContextKind : std::uint8_t { ring, ulysses };
// How operands below 16 bits get their scales: one per tensor from earlier steps' maxima, one per tensor from the
// tensor itself, or one per block of it.
enum class ScalingKind : std::uint8_t { delayed, current, blockwise };

struct Overlap {
  bool gradient_reduce = false;   // gradient buckets reduce while the backward pass runs
  bool parameter_gather = false;  // parameter buckets are gathered while the forward pass runs
  bool tensor = false;
  bool pipeline = false;  // a stage computes on while its sends are in flight
  double bucket_bytes = 25e6;
};

struct Plan {
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t context = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t data = 1;
  ContextKind context_kind = ContextKind::ring;
  bool balances_context = true;  // ranks get an early and a late piece of the sequence, so causal work is equal
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  std::vector<std::int64_t> layers_per_chunk;  // in model order: chunk c lives on stage c % pipeline
  ShardingKind sharding = ShardingKind::none;
  std::int64_t sharding_group = 1;  // ranks of data x context that a full copy is sharded over: all, or fewer (hybrid)
  bool reshards_after_forward = true;  // full sharding: weights are gathered again for the backward pass
  // Gradients reduce (and are sharded at once) after each micro-batch, not per step.
  bool reduces_every_micro_batch = false;
  RecomputeKind recompute = RecomputeKind::none;
  std::int64_t recomputed_layers = 0;  // with full: per chunk as many layers from the first; 0: all of them
  std::array<Axis, 4> order = {Axis::tensor, Axis::context, Axis::data, Axis::pipeline};
  Overlap overlap;

  std::int64_t global_batch_size = 1;
  std::int64_t micro_batch_size = 1;
  std::int64_t micro_batches = 1;
  std::int64_t sequence_length = 1;
  std::string precision = "bf16";              // of the matrix products
  ScalingKind scaling = ScalingKind::delayed;  // where precision is below 16 bits
  bool low_precision_weights = false;          // layers' weights are kept and travel in `precision` alone
  std::string optimizer = "adam";
  std::string optimizer_state = "fp32";  // of the moments
  std::string grad_dtype = "fp32";       // of accumulation and reduction

  [[nodiscard]] std::int64_t ranks() const { return tensor * context * data * pipeline; }
  [[nodiscard]] std::int64_t data_ranks() const { return data * context; }
  // Ranks that hold the same experts.
  [[nodiscard]] std::int64_t expert_replicas() const { return tensor * context * data / (expert * expert_tensor); }
  [[nodiscard]] std::int64_t chunks() const { return pipeline * virtual_stages; }
  // In model order, the layer that chunk `chunk` begins with.
  [[nodiscard]] std::int64_t first_layer(std::int64_t chunk) const;
  // Layers of chunk `chunk` (in model order) whose whole forward pass runs again; 0 unless `recompute` is full.
  [[nodiscard]] std::int64_t recomputed_in_chunk(std::int64_t chunk) const;
};

// What the format page's `layers_per_stage: auto` means: when layers do not divide by the chunks, embedding and loss
// count as one layer each; the rest is contiguous; larger chunks go to the middle ones first (from the second on), then
// the first, then the last. With fewer layers than chunks - 2 the first and the last have none. REQUIRES: both at
// least 1.
std::vector<std::int64_t> balanced_layers(std::int64_t layers, std::int64_t chunks);

// Bytes of one element: fp32 and tf32 4, fp16 and bf16 2, fp8 and mxfp8 1, nvfp4 0.5. Activations and weights that flow
// between layers are kept in 16 bits when products run below that. Throws std::invalid_argument for another name.
double element_bytes(const std::string& dtype);
double activation_element_bytes(const std::string& precision);
bool is_below_16_bits(const std::string& precision);

}  // namespace trainsim
