#include "workloads/products.hpp"

namespace trainsim {
namespace {

constexpr double kWideBytes = 2;  // of an element before its cast

std::vector<Linear> linears(const std::vector<LinearLayer>& layers, const Plan& plan, double tokens) {
  std::vector<Linear> result;
  for (const LinearLayer& layer : layers) {
    result.push_back({.tokens = tokens,
                      .outputs = layer.outputs,
                      .inputs = layer.inputs,
                      .accumulates_fp32 = plan.grad_dtype == "fp32"});
  }
  return result;
}

}  // namespace

void append(Kernels& kernels, const Kernels& more) { kernels.insert(kernels.end(), more.begin(), more.end()); }

double cast_bytes_per_element(const Plan& plan) {
  if (!is_below_16_bits(plan.precision)) return 0;
  const double written = 2 * element_bytes(plan.precision);  // as it is, and transposed
  switch (plan.scaling) {
    case ScalingKind::delayed:
      return written;
    case ScalingKind::current:
      return 2 * kWideBytes + written;
    case ScalingKind::blockwise:
      break;
  }
  return kWideBytes + written;
}

Products::Products(const Model& model, const Plan& plan, double tokens, const std::vector<LinearLayer>& layers,
                   const std::vector<LinearLayer>& adapted)
    : Products(plan) {
  layers_ = linears(layers, plan, tokens);
  if (!model.lora) {
    trained_ = layers_;
    return;
  }
  const auto rank = static_cast<double>(model.lora->rank);
  std::vector<LinearLayer> thin;
  for (const LinearLayer& layer : adapted) {
    thin.push_back({rank, layer.inputs});
    thin.push_back({layer.outputs, rank});
  }
  adapters_ = linears(thin, plan, tokens);
  for (Linear& adapter : adapters_) adapter.stays_16_bit = true;
  trained_ = adapters_;
}

Products Products::of_experts(const Plan& plan, double rows, const std::vector<LinearLayer>& layers, double experts) {
  Products products(plan);
  products.layers_ = linears(layers, plan, rows / experts);
  for (Linear& layer : products.layers_) layer.experts = experts;
  products.trained_ = products.layers_;
  return products;
}

Kernels Products::forward() const {
  Kernels kernels;
  for (const Linear& layer : layers_) kernels.emplace_back(layer.forward());
  for (const Linear& layer : adapters_) kernels.emplace_back(layer.forward());
  return kernels;
}

Kernels Products::data_gradient() const {
  Kernels kernels;
  for (auto layer = adapters_.rbegin(); layer != adapters_.rend(); ++layer) {
    kernels.emplace_back(layer->data_gradient());
  }
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) kernels.emplace_back(layer->data_gradient());
  return kernels;
}

Kernels Products::weight_gradient() const {
  Kernels kernels;
  for (auto layer = trained_.rbegin(); layer != trained_.rend(); ++layer) {
    kernels.emplace_back(layer->weight_gradient());
  }
  return kernels;
}

double Products::input_cast_bytes() const {
  double elements = 0;
  for (const Linear& layer : layers_) elements += layer.experts.value_or(1) * layer.tokens * layer.inputs;
  return elements * cast_bytes_per_element_;
}

double Products::gradient_cast_bytes() const {
  double elements = 0;
  for (const Linear& layer : layers_) elements += layer.experts.value_or(1) * layer.tokens * layer.outputs;
  return elements * cast_bytes_per_element_;
}

}  // namespace trainsim
