#include <fmt/format.h>

#include "scenarios/resolve/plan.hpp"

namespace trainsim {
namespace {

// Ulysses exchanges positions for heads, so a rank of tensor x context has its own heads.
void check_exchanged_heads(const Model& model, const ParallelismSection& parallelism, Findings& findings) {
  const std::int64_t split = saturating_product({parallelism.tensor, parallelism.context});
  const std::string product =
      fmt::format("tensor {} x context {} = {}", parallelism.tensor, parallelism.context, split);
  if (model.attention_heads % split != 0) {
    findings.fault("parallelism.context",
                   fmt::format("the model's {} attention heads do not divide by {}, which ulysses needs",
                               model.attention_heads, product),
                   fmt::format("a product that divides {}, such as {}, or context_kind: ring", model.attention_heads,
                               divisors_near(model.attention_heads, split)));
  } else if (model.kv_heads % split != 0 && split % model.kv_heads != 0) {
    findings.fault("parallelism.context",
                   fmt::format("the model's {} key-value heads neither divide by {} nor are repeated evenly",
                               model.kv_heads, product),
                   fmt::format("a product that divides or is a multiple of {}", model.kv_heads));
  }
}

}  // namespace

bool balances_context(const Scenario& scenario, const Stack& stack) {
  return stack.balances_context && scenario.parallelism.context_kind == ContextKind::ring &&
         scenario.model.attention == AttentionKind::causal;
}

void check_context(const Scenario& scenario, const Stack& stack, Findings& findings) {
  const ParallelismSection& parallelism = scenario.parallelism;
  if (parallelism.context == 1) return;
  if (scenario.software.flash_attention == 0) {
    findings.fault("parallelism.context",
                   fmt::format("{} ranks share a sequence, but software.flash_attention is 0", parallelism.context),
                   "1, or fused attention");
  }
  if (parallelism.context_kind == ContextKind::ulysses) check_exchanged_heads(scenario.model, parallelism, findings);
  const std::int64_t pieces = saturating_product({2, parallelism.context});
  const std::int64_t length = scenario.training.sequence_length;
  if (balances_context(scenario, stack) && length % parallelism.context == 0 && length % pieces != 0) {
    findings.fault("training.sequence_length",
                   fmt::format("{} tokens do not divide by 2 x context {}: each rank gets an early and a late piece",
                               length, parallelism.context),
                   fmt::format("a multiple of {}", pieces));
  }
}

}  // namespace trainsim
