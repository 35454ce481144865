#include "workloads/chunk_layout.hpp"

namespace trainsim {

std::vector<ChunkLayout> chunk_layouts(const Plan& plan, std::int64_t stage) {
  std::vector<ChunkLayout> layouts;
  for (std::int64_t chunk = stage; chunk < plan.chunks(); chunk += plan.pipeline) {
    ChunkLayout layout;
    layout.layers = plan.layers_per_chunk.at(static_cast<std::size_t>(chunk));
    layout.recomputed_layers = plan.recomputed_in_chunk(chunk);
    layout.has_embedding = chunk == 0;
    layout.has_head = chunk + 1 == plan.chunks();
    layouts.push_back(layout);
  }
  return layouts;
}

std::vector<double> part_parameters(const ChunkLayout& layout, const Model& model, const Plan& plan) {
  std::vector<double> parameters(layout.parts(), layer_parameters(model, plan.tensor));
  if (layout.has_head) {
    const bool has_copy = model.tied_embeddings && plan.pipeline > 1;
    parameters[layout.head_part()] =
        head_parameters(model, plan.tensor) + (has_copy ? vocabulary_parameters(model, plan.tensor) : 0);
  }
  if (layout.has_embedding) parameters[layout.embedding_part()] = embedding_parameters(model, plan.tensor);
  return parameters;
}

}  // namespace trainsim
