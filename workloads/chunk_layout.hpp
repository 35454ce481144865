// A chunk's parts in the order of its backward pass: head (last chunk), layers from the last to the first, embedding
// (first chunk). Each part's gradients are complete at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

struct ChunkLayout {
  std::vector<LayerKind> layers;       // in model order
  std::int64_t recomputed_layers = 0;  // from the first
  bool has_embedding = false;          // first chunk of the model
  bool has_head = false;               // last chunk

  [[nodiscard]] std::size_t parts() const { return layers.size() + has_head + has_embedding; }
  [[nodiscard]] std::size_t head_part() const { return 0; }
  // `layer` counts within the chunk.
  [[nodiscard]] std::size_t layer_part(std::size_t layer) const { return layers.size() - 1 - layer + has_head; }
  [[nodiscard]] std::size_t embedding_part() const { return parts() - 1; }
  [[nodiscard]] bool is_layer(std::size_t part) const {
    return !(has_head && part == head_part()) && !(has_embedding && part == embedding_part());
  }
};

// By virtual stage of pipeline rank `stage`.
std::vector<ChunkLayout> chunk_layouts(const Model& model, const Plan& plan, std::int64_t stage);

WeightSplit weight_split(const Plan& plan);

// Parameters that one rank holds, unsharded, by part. A tied embedding has a copy on the last stage when that is not
// the first.
std::vector<Parameters> part_parameters(const ChunkLayout& layout, const Model& model, const Plan& plan);
// The same of several chunks together, and of all chunks of a pipeline stage.
Parameters held_parameters(const std::vector<ChunkLayout>& layouts, const Model& model, const Plan& plan);
Parameters stage_parameters(const Model& model, const Plan& plan, std::int64_t stage);

}  // namespace trainsim
