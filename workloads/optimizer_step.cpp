#include "workloads/optimizer_step.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainsim {
namespace {

constexpr double kAdamMomentBytes = 8;  // two in fp32: what the policy's figure counts
constexpr int kNewtonSchulzIterations = 5;

double trained_parameters(const StageInputs& inputs, const std::vector<ChunkLayout>& layouts) {
  double sum = 0;
  for (const ChunkLayout& layout : layouts) {
    for (const Parameters& part : part_parameters(layout, inputs.model, inputs.plan)) sum += part.trained();
  }
  return sum;
}

// A matrix of m x n, m <= n, in one iteration: A = X X^T, B = A A, and (b A + c B) X.
void add_newton_schulz(Kernels& kernels, const LinearLayer& layer, double matrices) {
  if (matrices <= 0) return;
  const double m = std::min(layer.outputs, layer.inputs);
  const double n = std::max(layer.outputs, layer.inputs);
  for (MatMul product : {MatMul{m, m, n}, MatMul{m, m, m}, MatMul{m, n, m}}) {
    product.count = matrices * kNewtonSchulzIterations;
    product.stays_16_bit = true;
    product.is_grouped = true;
    kernels.emplace_back(product);
  }
}

// A rank orthogonalises its share of the stage's matrices; embedding, head and norms are updated as by Adam.
class MuonStep {
 public:
  MuonStep(const Model& model, const Plan& plan) : model_(model), plan_(plan) {}

  Kernels kernels(const std::vector<ChunkLayout>& layouts, double share) {
    double dense_layers = 0;
    double expert_layers = 0;
    for (const ChunkLayout& layout : layouts) {
      for (const LayerKind kind : layout.layers) (kind.has_experts ? expert_layers : dense_layers) += share;
    }
    const AttentionMatrices attention = attention_matrices(model_, plan_.tensor);
    for (const LinearLayer& layer : attention.inputs) add_newton_schulz(kernels_, layer, dense_layers + expert_layers);
    add_newton_schulz(kernels_, attention.output, dense_layers + expert_layers);
    add_mlp(static_cast<double>(model_.ffn_hidden_size) / static_cast<double>(plan_.tensor), dense_layers);
    if (model_.experts) {
      const double held = static_cast<double>(model_.experts->experts) / static_cast<double>(plan_.expert);
      add_mlp(static_cast<double>(model_.experts->ffn_hidden_size) / static_cast<double>(plan_.expert_tensor),
              expert_layers * held);
    }
    return std::move(kernels_);
  }

 private:
  void add_mlp(double columns, double count) {
    const MlpMatrices mlp = mlp_matrices(model_, columns);
    add_newton_schulz(kernels_, mlp.up, count);
    add_newton_schulz(kernels_, mlp.down, count);
  }

  const Model& model_;
  const Plan& plan_;
  Kernels kernels_;
};

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
  const double whole = trained_parameters(inputs, layouts);
  if (plan.optimizer == "muon") {
    append(kernels, MuonStep(inputs.model, plan).kernels(layouts, trained / whole));
  }
  if (const double cast = cast_bytes_per_element(plan); cast > 0) {
    kernels.emplace_back(MemoryBound{whole * (activation_element_bytes(plan.precision) + cast), 1, false});
  }
  return kernels;
}

}  // namespace trainsim
