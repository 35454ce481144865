#include "workloads/expert_block.hpp"

#include "workloads/expert_load.hpp"
#include "workloads/layer_shapes.hpp"

namespace trainsim {
namespace {

constexpr double kFp32Bytes = 4;

// Tokens that one rank routes: with sequence parallelism its own part of the sequence.
double routed_here(const Plan& plan) { return tokens_per_micro_batch(plan) / sequence_shards(plan); }

// Reads and writes of one row of hidden states.
double row_bytes(const Model& model, const Plan& plan) {
  return static_cast<double>(model.hidden_size) * activation_element_bytes(plan.precision);
}

// The products of an MLP and the activation between them.
struct Inner {
  Kernels forward, backward;
};

Inner inner_kernels(const Model& model, const Plan& plan, const KernelPolicy& policy, const Products& products,
                    double inner_elements) {
  const auto activation = [&](bool is_backward, double cast_bytes) {
    const double bytes = inner_elements * activation_element_bytes(plan.precision);
    return elementwise(activation_passes(model, is_backward) * bytes + cast_bytes, 1, policy);
  };
  Inner inner;
  inner.forward = products.forward();
  inner.forward.emplace_back(activation(false, products.input_cast_bytes()));
  inner.backward = products.data_gradient();
  append(inner.backward, products.weight_gradient());
  inner.backward.emplace_back(activation(true, products.gradient_cast_bytes()));
  return inner;
}

Inner routed_experts(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const double rows = expert_rows_per_rank(model, plan);
  const double columns = expert_columns(model, plan);
  const double held = static_cast<double>(model.experts->experts) / static_cast<double>(plan.expert);
  const MlpMatrices matrices = mlp_matrices(model, columns);
  const Products products = Products::of_experts(plan, rows, {matrices.up, matrices.down}, held);
  return inner_kernels(model, plan, policy, products, rows * columns);
}

Inner shared_experts(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  if (model.experts->shared_experts == 0) return {};
  const double tokens = tokens_per_micro_batch(plan);
  const double columns = static_cast<double>(model.experts->shared_experts * model.experts->ffn_hidden_size) /
                         static_cast<double>(plan.tensor);
  const MlpMatrices matrices = mlp_matrices(model, columns);
  return inner_kernels(model, plan, policy, Products(model, plan, tokens, {matrices.up, matrices.down}),
                       tokens * columns);
}

// In fp32 gradients and 16-bit products, whatever the layers run in.
Linear router(const Model& model, const Plan& plan) {
  return {.tokens = routed_here(plan),
          .outputs = static_cast<double>(model.experts->experts),
          .inputs = static_cast<double>(model.hidden_size),
          .accumulates_fp32 = true,
          .stays_16_bit = true};
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

}  // namespace

double dispatched_bytes(const Model& model, const Plan& plan) {
  return routed_tokens_per_rank(model, plan) * row_bytes(model, plan);
}

ExpertKernels expert_block(const Model& model, const Plan& plan, const KernelPolicy& policy) {
  const double hidden = routed_here(plan) * row_bytes(model, plan);
  const Linear gate = router(model, plan);
  const Inner shared = shared_experts(model, plan, policy);
  const Inner routed = routed_experts(model, plan, policy);

  ExpertKernels block;
  block.lead = {elementwise(norm_and_residual_passes(model, false) * hidden, 2, policy), gate.forward(),
                choice(model, plan, policy), permutation(model, plan, policy)};
  block.shared = shared.forward;
  block.experts = routed.forward;
  block.finish = {permutation(model, plan, policy)};
  block.finish_backward = {permutation(model, plan, policy)};
  block.experts_backward = routed.backward;
  block.shared_backward = shared.backward;
  block.lead_backward = {permutation(model, plan, policy), choice(model, plan, policy), gate.data_gradient(),
                         gate.weight_gradient(),
                         elementwise(norm_and_residual_passes(model, true) * hidden, 3, policy)};
  return block;
}

}  // namespace trainsim
