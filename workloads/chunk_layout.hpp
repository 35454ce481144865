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
  std::int64_t layers = 0;
  std::int64_t recomputed_layers = 0;  // from the first
  bool has_embedding = false;          // first chunk of the model
  bool has_head = false;               // last chunk

  [[nodiscard]] std::size_t parts() const { return static_cast<std::size_t>(layers) + has_head + has_embedding; }
  [[nodiscard]] std::size_t head_part() const { return 0; }
  // `layer` counts within the chunk.
  [[nodiscard]] std::size_t layer_part(std::int64_t layer) const {
    return static_cast<std::size_t>(layers - 1 - layer) + has_head;
  }
  [[nodiscard]] std::size_t embedding_part() const { return parts() - 1; }
};

// By virtual stage of pipeline rank `stage`.
std::vector<ChunkLayout> chunk_layouts(const Plan& plan, std::int64_t stage);

// Parameters that one tensor rank holds, by part. A tied embedding has a copy on the last stage when that is not the
// first.
std::vector<double> part_parameters(const ChunkLayout& layout, const Model& model, const Plan& plan);

}  // namespace trainsim
