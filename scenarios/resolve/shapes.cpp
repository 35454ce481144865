#include <fmt/format.h>

#include "scenarios/resolve/plan.hpp"

namespace trainsim {
namespace {

void check_heads(const Model& model, std::int64_t tensor, Findings& findings) {
  if (model.attention_heads % tensor != 0) {
    findings.fault("parallelism.tensor",
                   fmt::format("the model's {} attention heads do not divide by {}", model.attention_heads, tensor),
                   fmt::format("a divisor of {}, such as {}", model.attention_heads,
                               divisors_near(model.attention_heads, tensor)));
    return;
  }
  if (model.kv_heads >= tensor && model.kv_heads % tensor != 0) {
    findings.fault("parallelism.tensor",
                   fmt::format("the model's {} key-value heads do not divide by {}", model.kv_heads, tensor),
                   fmt::format("a divisor of {}, such as {}", model.kv_heads, divisors_near(model.kv_heads, tensor)));
  }
  if (model.kv_heads < tensor && tensor % model.kv_heads != 0) {
    findings.fault(
        "parallelism.tensor",
        fmt::format("{} is no multiple of the model's {} key-value heads, so they cannot be replicated evenly", tensor,
                    model.kv_heads),
        fmt::format("a divisor or a multiple of {}", model.kv_heads));
  } else if (model.kv_heads < tensor) {
    findings.note(fmt::format("each of the {} key-value heads is held by {} tensor ranks, because tensor is {}",
                              model.kv_heads, tensor / model.kv_heads, tensor));
  }
}

void check_width(std::int64_t width, const char* what, std::int64_t tensor, Findings& findings) {
  if (width % tensor == 0) return;
  findings.fault("parallelism.tensor", fmt::format("the model's {} {} does not divide by {}", what, width, tensor),
                 fmt::format("a divisor of {}, such as {}", width, divisors_near(width, tensor)));
}

bool has_dense_layers(const Model& model) {
  if (!model.experts) return true;
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    if (!layer_kind(model, layer).has_experts) return true;
  }
  return false;
}

// Experts are split by a degree of their own; those that every token visits, by `tensor`.
void check_mlp(const Model& model, std::int64_t tensor, Findings& findings) {
  if (has_dense_layers(model)) check_width(model.ffn_hidden_size, "ffn_hidden_size", tensor, findings);
  if (!model.experts || model.experts->shared_experts == 0) return;
  const std::int64_t width = model.experts->shared_experts * model.experts->ffn_hidden_size;
  check_width(width, "shared experts' ffn_hidden_size", tensor, findings);
}

void check_sequence(const Scenario& scenario, Findings& findings) {
  const ParallelismSection& parallelism = scenario.parallelism;
  const std::int64_t length = scenario.training.sequence_length;
  const std::int64_t by_tensor = parallelism.sequence_parallel.value_or(false) ? parallelism.tensor : 1;
  const std::int64_t parts = saturating_product({parallelism.context, by_tensor});
  if (length % parts == 0) return;
  const std::string split = parallelism.context > 1
                                ? fmt::format("context {} x tensor {}", parallelism.context, by_tensor)
                                : fmt::format("tensor {} (sequence_parallel)", by_tensor);
  findings.fault("training.sequence_length", fmt::format("{} tokens do not divide by {}", length, split),
                 fmt::format("a multiple of {}", parts));
}

}  // namespace

void extend_positions(Scenario& scenario, Findings& findings) {
  Model& model = scenario.model;
  const std::int64_t length = scenario.training.sequence_length;
  if (model.position != PositionKind::learned || model.max_positions >= length) return;
  if (model.max_positions > 0) {
    findings.note(fmt::format("the table of {} learned positions is extended to the {} of a sequence",
                              model.max_positions, length));
  }
  model.max_positions = length;
}

void check_shapes(const Scenario& scenario, Findings& findings) {
  const Model& model = scenario.model;
  const std::int64_t tensor = scenario.parallelism.tensor;
  check_heads(model, tensor, findings);
  check_width(model.hidden_size, "hidden_size", tensor, findings);
  check_mlp(model, tensor, findings);
  check_sequence(scenario, findings);
  if (model.vocab_size % tensor != 0) {
    findings.note(fmt::format("the vocabulary of {} is padded to {}, a multiple of tensor {}", model.vocab_size,
                              (model.vocab_size / tensor + 1) * tensor, tensor));
  }
}

}  // namespace trainsim
