#include "workloads/expert_load.hpp"
#include "workloads/transformer_layer.hpp"

namespace trainsim {
namespace {

constexpr double kFp32Bytes = 4;

// Tokens that one rank routes: with sequence parallelism its own part of the sequence.
double routed_here(const Plan& plan) { return tokens_per_micro_batch(plan) / sequence_shards(plan); }

// Grouped products of a rank's experts, each with its share of the rows that arrive.
struct GroupedProducts {
  double experts = 1;
  double rows = 0;  // of one expert
  LinearLayer layer;
  bool accumulates_fp32 = false;

  [[nodiscard]] MatMul grouped(double m, double n, double k, bool accumulates) const {
    return {m, n, k, experts, accumulates, false, true};
  }
  [[nodiscard]] MatMul forward() const { return grouped(rows, layer.outputs, layer.inputs, false); }
  [[nodiscard]] MatMul data_gradient() const { return grouped(rows, layer.inputs, layer.outputs, false); }
  [[nodiscard]] MatMul weight_gradient() const { return grouped(layer.outputs, layer.inputs, rows, accumulates_fp32); }
};

struct ExpertShapes {
  double rows = 0;     // that a rank computes
  double columns = 0;  // of its share of an expert
  GroupedProducts up, down;
};

ExpertShapes expert_shapes(const Model& model, const Plan& plan) {
  const Experts& experts = *model.experts;
  ExpertShapes shapes;
  // Ranks that share an expert gather each other's rows.
  shapes.rows = routed_tokens_per_rank(model, plan) * static_cast<double>(plan.expert_tensor);
  shapes.columns = static_cast<double>(experts.ffn_hidden_size) / static_cast<double>(plan.expert_tensor);
  const double held = static_cast<double>(experts.experts) / static_cast<double>(plan.expert);
  const MlpMatrices matrices = mlp_matrices(model, shapes.columns);
  const bool accumulates = plan.grad_dtype == "fp32";
  shapes.up = {held, shapes.rows / held, matrices.up, accumulates};
  shapes.down = {held, shapes.rows / held, matrices.down, accumulates};
  return shapes;
}

// Reads and writes of one row of hidden states.
double row_bytes(const Model& model, const Plan& plan) {
  return static_cast<double>(model.hidden_size) * activation_element_bytes(plan.precision);
}

Kernels expert_kernels(const Model& model, const Plan& plan, const KernelPolicy& policy, bool is_backward) {
  const ExpertShapes shapes = expert_shapes(model, plan);
  const double element = activation_element_bytes(plan.precision);
  const double casts = cast_bytes_per_element(plan) * shapes.rows *
                       (is_backward ? shapes.up.layer.outputs + shapes.down.layer.outputs
                                    : shapes.up.layer.inputs + shapes.down.layer.inputs);
  const MemoryBound activation =
      elementwise(activation_passes(model, is_backward) * shapes.rows * shapes.columns * element + casts, 1, policy);
  if (!is_backward) return {shapes.up.forward(), activation, shapes.down.forward()};
  return {shapes.down.data_gradient(), shapes.down.weight_gradient(), activation, shapes.up.data_gradient(),
          shapes.up.weight_gradient()};
}

Linear router(const Model& model, const Plan& plan) {
  return {routed_here(plan), static_cast<double>(model.experts->experts), static_cast<double>(model.hidden_size), true,
          true};
}

// Softmax and choice of the experts, in fp32.
MemoryBound choice(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  return elementwise(3 * kFp32Bytes * routed_here(plan) * static_cast<double>(model.experts->experts), 3, policy);
}

// A copy of a token for each expert that it visits: read once, written once per copy; backward and the weighted sum the
// other way round.
MemoryBound permutation(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const double copies = static_cast<double>(model.experts->top_k);
  return elementwise((1 + copies) * routed_here(plan) * row_bytes(model, plan), 2, policy);
}

struct SharedExperts {
  Kernels forward, backward;
};

SharedExperts shared_experts(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  if (model.experts->shared_experts == 0) return {};
  const double tokens = tokens_per_micro_batch(plan);
  const double columns = static_cast<double>(model.experts->shared_experts * model.experts->ffn_hidden_size) /
                         static_cast<double>(plan.tensor);
  const MlpMatrices matrices = mlp_matrices(model, columns);
  const Products products(model, plan, tokens, {matrices.up, matrices.down});
  const auto activation = [&](bool is_backward, double cast_bytes) {
    const double bytes = tokens * columns * activation_element_bytes(plan.precision);
    return elementwise(activation_passes(model, is_backward) * bytes + cast_bytes, 1, policy);
  };
  SharedExperts shared;
  shared.forward = products.forward();
  shared.forward.emplace_back(activation(false, products.input_cast_bytes()));
  shared.backward = products.data_gradient();
  append(shared.backward, products.weight_gradient());
  shared.backward.emplace_back(activation(true, products.gradient_cast_bytes()));
  return shared;
}

}  // namespace

double dispatched_bytes(const Model& model, const Plan& plan) {
  return routed_tokens_per_rank(model, plan) * row_bytes(model, plan);
}

ExpertKernels expert_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const double hidden = routed_here(plan) * row_bytes(model, plan);
  const Linear gate = router(model, plan);
  const SharedExperts shared = shared_experts(model, plan, policy);

  ExpertKernels block;
  block.lead = {elementwise(norm_and_residual_passes(model, false) * hidden, 2, policy), gate.forward(),
                choice(model, plan, policy), permutation(model, plan, policy)};
  block.shared = shared.forward;
  block.experts = expert_kernels(model, plan, policy, false);
  block.finish = {permutation(model, plan, policy)};
  block.finish_backward = {permutation(model, plan, policy)};
  block.experts_backward = expert_kernels(model, plan, policy, true);
  block.shared_backward = shared.backward;
  block.lead_backward = {permutation(model, plan, policy), choice(model, plan, policy), gate.data_gradient(),
                         gate.weight_gradient(),
                         elementwise(norm_and_residual_passes(model, true) * hidden, 3, policy)};
  return block;
}

}  // namespace trainsim
