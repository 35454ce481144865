// A model from the `config.json` that Hugging Face checkpoints carry (https://huggingface.co/docs/transformers, one
// class per `model_type`). Keys that say nothing about shapes are skipped; those that say something which a Model
// cannot hold are faults. Left out, because a Model has no place for them: biases on q, k and v alone (Qwen2), norms of
// queries and keys (Qwen3), attention sinks (gpt-oss), multi-token prediction (DeepSeek-V3): under 0.1 % of the
// parameters, but for the last.
#pragma once

#include <string>
#include <vector>

#include "simulator/input/reader.hpp"
#include "workloads/model.hpp"

namespace trainsim {

// The values of `model_type` that can be read.
std::vector<std::string> hf_model_types();
// `root` is the file's map. Faults go to the context.
Model read_hf_config(const Node& root, ReadContext& context);

}  // namespace trainsim
