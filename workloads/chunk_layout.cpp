#include "workloads/chunk_layout.hpp"

namespace trainsim {

std::vector<ChunkLayout> chunk_layouts(const Model& model, const Plan& plan, std::int64_t stage) {
  std::vector<ChunkLayout> layouts;
  for (std::int64_t chunk = stage; chunk < plan.chunks(); chunk += plan.pipeline) {
    ChunkLayout layout;
    const std::int64_t first = plan.first_layer(chunk);
    const std::int64_t count = plan.layers_per_chunk.at(static_cast<std::size_t>(chunk));
    for (std::int64_t layer = first; layer < first + count; ++layer) layout.layers.push_back(layer_kind(model, layer));
    layout.recomputed_layers = plan.recomputed_in_chunk(chunk);
    layout.has_embedding = chunk == 0;
    layout.has_head = chunk + 1 == plan.chunks();
    layouts.push_back(layout);
  }
  return layouts;
}

WeightSplit weight_split(const Plan& plan) { return {plan.tensor, plan.expert_tensor, plan.expert}; }

std::vector<Parameters> part_parameters(const ChunkLayout& layout, const Model& model, const Plan& plan) {
  std::vector<Parameters> parameters(layout.parts());
  for (std::size_t layer = 0; layer < layout.layers.size(); ++layer) {
    parameters[layout.layer_part(layer)] = layer_parameters(model, layout.layers[layer], weight_split(plan));
  }
  if (layout.has_head) {
    Parameters& head = parameters[layout.head_part()];
    head = head_parameters(model, plan.tensor);
    if (model.tied_embeddings && plan.pipeline > 1) {
      (model.lora ? head.frozen : head.dense) += vocabulary_parameters(model, plan.tensor);
    }
  }
  if (layout.has_embedding) parameters[layout.embedding_part()] = embedding_parameters(model, plan.tensor);
  return parameters;
}

Parameters held_parameters(const std::vector<ChunkLayout>& layouts, const Model& model, const Plan& plan) {
  Parameters sum;
  for (const ChunkLayout& layout : layouts) {
    for (const Parameters& part : part_parameters(layout, model, plan)) sum += part;
  }
  return sum;
}

Parameters stage_parameters(const Model& model, const Plan& plan, std::int64_t stage) {
  return held_parameters(chunk_layouts(model, plan, stage), model, plan);
}

}  // namespace trainsim
