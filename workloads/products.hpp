// Matrix products of linear layers on one rank, forward and backward, with LoRA's adapters beside them.
#pragma once

#include <optional>
#include <vector>

#include "workloads/linear_layers.hpp"
#include "workloads/plan.hpp"
#include "workloads/program.hpp"

namespace trainsim {

using Kernels = std::vector<Kernel>;

void append(Kernels& kernels, const Kernels& more);

// Y[tokens, outputs] = X[tokens, inputs] W and its two gradients. `experts` of them at once, each on as many tokens.
struct Linear {
  double tokens = 0, outputs = 0, inputs = 0;
  bool accumulates_fp32 = false;
  bool stays_16_bit = false;
  std::optional<double> experts = {};

  [[nodiscard]] MatMul forward() const { return product(tokens, outputs, inputs); }
  [[nodiscard]] MatMul data_gradient() const { return product(tokens, inputs, outputs); }
  [[nodiscard]] MatMul weight_gradient() const {
    MatMul gradient = product(outputs, inputs, tokens);
    gradient.accumulates_fp32 = accumulates_fp32;
    return gradient;
  }

 private:
  [[nodiscard]] MatMul product(double m, double n, double k) const {
    return {.m = m,
            .n = n,
            .k = k,
            .count = experts.value_or(1),
            .stays_16_bit = stays_16_bit,
            .is_grouped = experts.has_value()};
  }
};

// Bytes that the cast of one element moves, its transposed copy for the weight gradient included. Scales of earlier
// steps let the kernel that makes the element write it in low precision as well; a scale of the tensor itself needs a
// pass for its maximum, then one to cast; a scale per block, one pass. 0 at 16 bits and above.
double cast_bytes_per_element(const Plan& plan);

// Layers side by side or behind each other that all `tokens` go through. A frozen layer has no weight gradient; an
// adapter is two thin layers, both trained.
class Products {
 public:
  Products(const Model& model, const Plan& plan, double tokens, const std::vector<LinearLayer>& layers,
           const std::vector<LinearLayer>& adapted = {});
  // Of `experts` that share `rows` equally.
  static Products of_experts(const Plan& plan, double rows, const std::vector<LinearLayer>& layers, double experts);

  [[nodiscard]] Kernels forward() const;
  [[nodiscard]] Kernels data_gradient() const;
  [[nodiscard]] Kernels weight_gradient() const;
  // Traffic of casting what products below 16 bits read, forward: the inputs; backward: the gradients of the outputs.
  // None at 16 bits and above.
  [[nodiscard]] double input_cast_bytes() const;
  [[nodiscard]] double gradient_cast_bytes() const;

 private:
  explicit Products(const Plan& plan) : cast_bytes_per_element_(cast_bytes_per_element(plan)) {}

  std::vector<Linear> layers_;    // in the order of the forward pass
  std::vector<Linear> trained_;   // those of them, and of the adapters, that have weight gradients
  std::vector<Linear> adapters_;  // pairs
  double cast_bytes_per_element_ = 0;
};

}  // namespace trainsim
