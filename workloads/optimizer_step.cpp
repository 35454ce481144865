#include "workloads/optimizer_step.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainsim {
namespace {

constexpr double kAdamMomentBytes = 8;  // two in fp32: what the policy's figure counts
constexpr int kNewtonSchulzIterations = 5;

// Trained parameters of the layers alone: what has products below 16 bits.
double trained_layer_parameters(const StageInputs& inputs, const std::vector<ChunkLayout>& layouts) {
  double sum = 0;
  for (const ChunkLayout& layout : layouts) {
    const std::vector<Parameters> parts = part_parameters(layout, inputs.model, inputs.plan);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (layout.is_layer(part)) sum += parts[part].trained();
    }
  }
  return sum;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// A rank orthogonalises its share of the stage's matrices, one after another; embedding, head and norms are updated as
// by Adam. With LoRA the matrices are the adapters'.
class MuonStep {
 public:
  MuonStep(const Model& model, const Plan& plan, double dense_share, double expert_share)
      : model_(model), plan_(plan), dense_share_(dense_share), expert_share_(expert_share) {}

  Kernels kernels(const std::vector<ChunkLayout>& layouts) {
    for (const ChunkLayout& layout : layouts) {
      for (const LayerKind kind : layout.layers) ++(kind.has_experts ? expert_layers_ : dense_layers_);
    }
    if (model_.lora) {
      add_adapters();
      return std::move(kernels_);
    }
    add_attention();
    add_mlp(static_cast<double>(model_.ffn_hidden_size) / static_cast<double>(plan_.tensor),
            dense_layers_ * dense_share_);
    if (model_.experts) add_experts(*model_.experts);
    return std::move(kernels_);
  }

 private:
  // A matrix of m x n, m <= n, in one iteration: A = X X^T, B = A A, and (b A + c B) X.
  void add(const LinearLayer& layer, double matrices) {
    if (matrices <= 0) return;
    const double m = std::min(layer.outputs, layer.inputs);
    const double n = std::max(layer.outputs, layer.inputs);
    for (MatMul product : {MatMul{m, m, n}, MatMul{m, m, m}, MatMul{m, n, m}}) {
      product.stays_16_bit = true;
      product.repeats = matrices * kNewtonSchulzIterations;
      kernels_.emplace_back(product);
    }
  }

  void add_attention() {
    const AttentionMatrices attention = attention_matrices(model_, plan_.tensor);
    const double layers = (dense_layers_ + expert_layers_) * dense_share_;
    for (const LinearLayer& layer : attention.inputs) add(layer, layers);
    add(attention.output, layers);
  }

  void add_mlp(double columns, double matrices) {
    const MlpMatrices mlp = mlp_matrices(model_, columns);
    add(mlp.up, matrices);
    add(mlp.down, matrices);
  }

  void add_experts(const Experts& experts) {
    const auto width = static_cast<double>(experts.ffn_hidden_size);
    const double held = static_cast<double>(experts.experts) / static_cast<double>(plan_.expert);
    add_mlp(width / static_cast<double>(plan_.expert_tensor), expert_layers_ * held * expert_share_);
    if (experts.shared_experts == 0) return;
    add_mlp(static_cast<double>(experts.shared_experts) * width / static_cast<double>(plan_.tensor),
            expert_layers_ * dense_share_);
  }

  void add_adapters() {
    const auto rank = static_cast<double>(model_.lora->rank);
    const AdaptedLayers adapted = adapted_layers(model_, plan_.tensor);
    for (const auto* block :
         {&adapted.attention_inputs, &adapted.attention_output, &adapted.mlp_up, &adapted.mlp_down}) {
      for (const LinearLayer& layer : *block) {
        add({rank, layer.inputs}, dense_layers_ * dense_share_);
        add({layer.outputs, rank}, dense_layers_ * dense_share_);
      }
    }
  }

  const Model& model_;
  const Plan& plan_;
  double dense_share_;
  double expert_share_;
  double dense_layers_ = 0;
  double expert_layers_ = 0;
  Kernels kernels_;
};

// Trained weights of layers are read and cast once per step. A recipe with scales of earlier steps has no read of its
// own in cast_bytes_per_element, because activations are cast as they are made.
double weight_cast_bytes(const Plan& plan, double layer_parameters) {
  const double cast = cast_bytes_per_element(plan);
  if (cast <= 0) return 0;
  const double read = plan.scaling == ScalingKind::delayed ? activation_element_bytes(plan.precision) : 0;
  return layer_parameters * (read + cast);
}

}  // namespace

double optimizer_moment_bytes(const std::string& optimizer, const std::string& state) {
  if (optimizer == "adam" || optimizer == "adamw") return 2 * element_bytes(state);
  if (optimizer == "momentum" || optimizer == "muon") return element_bytes(state);
  if (optimizer == "adam8bit") return 2;
  if (optimizer == "sgd" || optimizer == "adafactor") return 0;
  throw std::invalid_argument("unknown optimizer '" + optimizer + "'");
}

Kernels optimizer_kernels(const StageInputs& inputs, const std::vector<ChunkLayout>& layouts,
                          const Parameters& updated) {
  const Plan& plan = inputs.plan;
  const double trained = updated.trained();
  if (trained <= 0) return {};
  const double moments = optimizer_moment_bytes(plan.optimizer, plan.optimizer_state);
  double bytes_per_parameter = inputs.policy.optimizer_bytes_per_parameter + 2 * (moments - kAdamMomentBytes);
  if (plan.optimizer == "adafactor") bytes_per_parameter += element_bytes(plan.grad_dtype);
  Kernels kernels;
  const double bytes = trained * bytes_per_parameter;
  if (bytes > 0) kernels.emplace_back(MemoryBound{bytes, 1, true});
  if (plan.optimizer == "muon") {
    const Parameters held = held_parameters(layouts, inputs.model, plan);
    const double dense_share = share(updated.dense, held.dense);
    const double expert_share = share(updated.expert, held.expert);
    append(kernels, MuonStep(inputs.model, plan, dense_share, expert_share).kernels(layouts));
  }
  if (const double cast = weight_cast_bytes(plan, trained_layer_parameters(inputs, layouts)); cast > 0) {
    kernels.emplace_back(MemoryBound{cast, 1, false});
  }
  return kernels;
}

}  // namespace trainsim
