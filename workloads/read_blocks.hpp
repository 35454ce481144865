// The blocks of `model.transformer` that few models have: windowed attention, a mixture of experts, latent attention.
// Each reader takes the reader of the transformer, whose plain fields are already in the model, and reports faults to
// its context.
#pragma once

#include "simulator/input/reader.hpp"
#include "workloads/model.hpp"

namespace trainsim {

constexpr std::int64_t kMaxLayers = 10'000;  // the format's limit
constexpr std::int64_t kMaxWidth = std::int64_t{1} << 24;
constexpr std::int64_t kMaxRows = std::int64_t{1} << 28;

// `attention`: causal | bidirectional | {window: 4096, every_n_layers: 1}.
void read_attention_kind(MapReader& transformer, Model& model);
// `moe: {experts: 8, top_k: 2, …}`.
void read_experts(MapReader& transformer, Model& model);
// `mla: {q_lora_rank: 1536, …}`; replaces the key-value heads and the head dimension, which have no effect beside it.
void read_latent_attention(MapReader& transformer, Model& model);

}  // namespace trainsim
