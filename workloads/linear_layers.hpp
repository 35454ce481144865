// The weight matrices of a layer as one rank holds them: parameter counts, matrix products and adapters all read these
// lists.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/model.hpp"

namespace trainsim {

// Y[tokens, outputs] = X[tokens, inputs] W, on one rank.
struct LinearLayer {
  double outputs = 0;
  double inputs = 0;
};

// In the order in which a token goes through them; those that read the same input are one. `tensor` ranks split
// attention by heads; `columns` is a rank's share of the inner width.
struct AttentionMatrices {
  std::vector<LinearLayer> inputs;  // q, k and v; with latent attention their down- and up-projections
  LinearLayer output;
};
AttentionMatrices attention_matrices(const Model& model, std::int64_t tensor);

struct MlpMatrices {
  LinearLayer up;  // with the gate's, where there is one
  LinearLayer down;
};
MlpMatrices mlp_matrices(const Model& model, double columns);

// What LoRA's adapters stand beside, by block: one adapter for each. REQUIRES: neither experts nor latent attention.
struct AdaptedLayers {
  std::vector<LinearLayer> attention_inputs, attention_output, mlp_up, mlp_down;
};
AdaptedLayers adapted_layers(const Model& model, std::int64_t tensor);

}  // namespace trainsim
