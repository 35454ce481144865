#include "workloads/optimizer_state.hpp"

#include <vector>

#include "workloads/linear_layers.hpp"
#include "workloads/optimizer_step.hpp"

namespace trainsim {
namespace {

constexpr double kFp32Bytes = 4;

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Row and column sums of a matrix.
double factored_bytes(const LinearLayer& layer) { return kFp32Bytes * (layer.outputs + layer.inputs); }

double factored_bytes(const std::vector<LinearLayer>& layers) {
  double bytes = 0;
  for (const LinearLayer& layer : layers) bytes += factored_bytes(layer);
  return bytes;
}

double factored_bytes(const MlpMatrices& mlp) { return factored_bytes(mlp.up) + factored_bytes(mlp.down); }

// Two thin matrices for each adapted one.
double factored_adapter_bytes(const Model& model, std::int64_t tensor) {
  const AdaptedLayers adapted = adapted_layers(model, tensor);
  const double rank = as_double(model.lora->rank);
  double bytes = 0;
  for (const auto* layers :
       {&adapted.attention_inputs, &adapted.attention_output, &adapted.mlp_up, &adapted.mlp_down}) {
    bytes += factored_bytes(*layers) + 2 * kFp32Bytes * rank * as_double(static_cast<std::int64_t>(layers->size()));
  }
  return bytes;
}

OptimizerBytes factored_layer_bytes(const Model& model, LayerKind kind, const Plan& plan) {
  if (model.lora) return {factored_adapter_bytes(model, plan.tensor), 0};
  const AttentionMatrices attention = attention_matrices(model, plan.tensor);
  const double tensor = as_double(plan.tensor);
  OptimizerBytes bytes{factored_bytes(attention.inputs) + factored_bytes(attention.output), 0};
  if (!kind.has_experts) {
    bytes.dense += factored_bytes(mlp_matrices(model, as_double(model.ffn_hidden_size) / tensor));
    return bytes;
  }
  const Experts& experts = *model.experts;
  const double width = as_double(experts.ffn_hidden_size);
  const double held = as_double(experts.experts) / as_double(plan.expert);
  bytes.dense += factored_bytes(LinearLayer{as_double(experts.experts), as_double(model.hidden_size)});  // router
  bytes.expert = held * factored_bytes(mlp_matrices(model, width / as_double(plan.expert_tensor)));
  if (experts.shared_experts > 0) {
    bytes.dense += factored_bytes(mlp_matrices(model, as_double(experts.shared_experts) * width / tensor));
  }
  return bytes;
}

// Of embedding and head: the table, where the part holds it.
double factored_table_bytes(const Model& model, const Parameters& part, std::int64_t tensor) {
  const double table = vocabulary_parameters(model, tensor);
  const double hidden = as_double(model.hidden_size);
  return part.dense >= table ? factored_bytes(LinearLayer{table / hidden, hidden}) : 0;
}

}  // namespace

double optimizer_state_bytes_per_parameter(const std::string& optimizer, const std::string& state,
                                           const std::string& precision) {
  const double master = activation_element_bytes(precision) < kFp32Bytes ? kFp32Bytes : 0;
  return master + optimizer_moment_bytes(optimizer, state);
}

OptimizerBytes optimizer_bytes(const ChunkLayout& layout, const Model& model, const Plan& plan) {
  const std::string of_ends = plan.optimizer == "muon" ? "adam" : plan.optimizer;
  const double per_layer_parameter =
      optimizer_state_bytes_per_parameter(plan.optimizer, plan.optimizer_state, plan.precision);
  const double per_end_parameter = optimizer_state_bytes_per_parameter(of_ends, plan.optimizer_state, plan.precision);
  const bool is_factored = plan.optimizer == "adafactor";
  const std::vector<Parameters> parts = part_parameters(layout, model, plan);
  OptimizerBytes bytes;
  for (std::size_t layer = 0; layer < layout.layers.size(); ++layer) {
    const Parameters& part = parts[layout.layer_part(layer)];
    OptimizerBytes factored;
    if (is_factored) factored = factored_layer_bytes(model, layout.layers[layer], plan);
    bytes.dense += per_layer_parameter * part.dense + factored.dense;
    bytes.expert += per_layer_parameter * part.expert + factored.expert;
  }
  const auto add_end = [&](const Parameters& part) {
    const double factored = is_factored ? factored_table_bytes(model, part, plan.tensor) : 0;
    bytes.dense += per_end_parameter * part.dense + factored;
  };
  if (layout.has_head) add_end(parts[layout.head_part()]);
  if (layout.has_embedding) add_end(parts[layout.embedding_part()]);
  return bytes;
}

}  // namespace trainsim
