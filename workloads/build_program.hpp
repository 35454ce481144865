// From model and plan to the program of each stage.
#pragma once

#include "workloads/model.hpp"
#include "workloads/plan.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// What the software stack decides about the kernels a layer consists of (from the stack's catalog entry).
struct KernelPolicy {
  [[nodiscard]] bool is_fused() const { return flash_attention > 0; }
  int flash_attention = 0;                // 0: unfused matrix products and softmax; 1, 2, 3: fused generations
  double elementwise_pass_factor = 1.0;   // memory passes of norms, activations, residuals relative to the counted ones
  bool recomputes_attention_only = true;  // what `selective` covers: the attention core (scores, softmax, values)
  double loss_bytes_per_logit = 30.0;     // traffic of the loss per logit, forward and backward
  double optimizer_bytes_per_parameter = 33.0;
  bool overlaps_weight_gradient = true;  // tensor-parallel backward communication runs beside weight-gradient products
  // Without sequence parallelism: sends 1/tensor of the activations, all-gathers after.
  bool scatter_gather_pipeline = false;
  double host_s_per_micro_batch = 0.0;
  double host_s_per_step = 0.0;
};

// A lower bound of the ops of each pipeline stage, found without building them: what is refused for its size must not
// cost that size first.
std::vector<double> least_ops_by_stage(const Model& model, const Plan& plan);

Program build_program(const Model& model, const Plan& plan, const KernelPolicy& policy);

}  // namespace trainsim
