// From model and plan to the program of each stage.
#pragma once

#include "workloads/model.hpp"
#include "workloads/plan.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// What the host spends beside the GPU (from the stack's catalog entry).
struct HostPolicy {
  double s_per_kernel = 0.0;  // to launch a kernel or a collective, the framework's work for it included
  double s_per_micro_batch = 0.0;
  double s_per_step = 0.0;
  bool waits_for_messages = false;  // blocks until messages between stages have come and gone

  [[nodiscard]] bool launches_passes() const { return s_per_kernel > 0.0 || s_per_micro_batch > 0.0; }
  [[nodiscard]] bool takes_time() const { return launches_passes() || s_per_step > 0.0; }
};

// What the software stack decides about the kernels a layer consists of (from the stack's catalog entry).
struct KernelPolicy {
  [[nodiscard]] bool is_fused() const { return flash_attention > 0; }
  int flash_attention = 0;                // 0: unfused matrix products and softmax; 1, 2, 3: fused generations
  double elementwise_pass_factor = 1.0;   // memory passes of norms, activations, residuals relative to the counted ones
  bool recomputes_attention_only = true;  // what `selective` covers: the attention core (scores, softmax, values)
  // Unfused attention: one softmax kernel where a rank's sequences x heads are a multiple of this; else plain
  // PyTorch's.
  double fused_softmax_multiple = 1.0;
  double loss_bytes_per_logit = 30.0;  // traffic of the loss per logit, forward and backward
  double optimizer_bytes_per_parameter = 33.0;
  bool scales_inside_experts = false;  // by the router's probabilities, so that experts' outputs are not kept for them
  bool keeps_activation_inputs_in_8_bits =
      false;                             // of the MLP, for the backward pass, where products are below 16 bits
  bool overlaps_weight_gradient = true;  // tensor-parallel backward communication runs beside weight-gradient products
  // Without sequence parallelism: sends 1/tensor of the activations, all-gathers after.
  bool scatter_gather_pipeline = false;
  HostPolicy host = {};
};

// A lower bound of the ops of each pipeline stage, found without building them: what is refused for its size must not
// cost that size first.
std::vector<double> least_ops_by_stage(const Model& model, const Plan& plan);

Program build_program(const Model& model, const Plan& plan, const KernelPolicy& policy);

}  // namespace trainsim
