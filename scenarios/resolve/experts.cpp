#include <fmt/format.h>

#include "scenarios/resolve/plan.hpp"

namespace trainsim {
namespace {

void check_no_experts(const ParallelismSection& parallelism, Findings& findings) {
  if (parallelism.expert != 1) {
    findings.fault("parallelism.expert",
                   fmt::format("{} expert ranks, but the model has no experts", parallelism.expert), "1");
  }
  const std::int64_t split = *parallelism.expert_tensor;
  if (split != 1 && split != parallelism.tensor) {
    findings.fault("parallelism.expert_tensor", fmt::format("{}, but the model has no experts", split), "auto");
  }
}

void check_split(const Experts& experts, const ParallelismSection& parallelism, Findings& findings) {
  const std::int64_t expert = parallelism.expert;
  if (experts.experts % expert != 0) {
    findings.fault("parallelism.expert",
                   fmt::format("the model's {} experts do not divide by {}", experts.experts, expert),
                   fmt::format("a divisor of {}, such as {}", experts.experts, divisors_near(experts.experts, expert)));
  }
  const std::int64_t split = *parallelism.expert_tensor;
  const std::int64_t width = experts.ffn_hidden_size;
  if (width % split != 0) {
    findings.fault("parallelism.expert_tensor",
                   fmt::format("an expert's ffn_hidden_size {} does not divide by {}", width, split),
                   fmt::format("a divisor of {}, such as {}", width, divisors_near(width, split)));
  }
}

}  // namespace

void resolve_experts(Scenario& scenario, Findings& findings) {
  ParallelismSection& parallelism = scenario.parallelism;
  if (!parallelism.expert_tensor) parallelism.expert_tensor = parallelism.expert == 1 ? parallelism.tensor : 1;
  if (!scenario.model.experts) {
    check_no_experts(parallelism, findings);
    return;
  }
  check_split(*scenario.model.experts, parallelism, findings);
  // Megatron's condition: tokens are routed from the part of the sequence that a rank has.
  if (parallelism.tensor > 1 && !*parallelism.sequence_parallel) {
    findings.fault("parallelism.sequence_parallel",
                   fmt::format("experts with tensor {} need sequence parallelism", parallelism.tensor),
                   "true, or tensor: 1");
  }
}

void check_expert_ranks(const Scenario& scenario, Findings& findings) {
  const ParallelismSection& parallelism = scenario.parallelism;
  if (!scenario.model.experts) return;
  const std::int64_t ranks = saturating_product({parallelism.tensor, parallelism.context, *parallelism.data});
  const std::int64_t split = saturating_product({parallelism.expert, *parallelism.expert_tensor});
  if (ranks % split == 0) return;
  findings.fault("parallelism.expert",
                 fmt::format("expert {} x expert_tensor {} = {} does not divide tensor {} x context {} x data {} = {}",
                             parallelism.expert, *parallelism.expert_tensor, split, parallelism.tensor,
                             parallelism.context, *parallelism.data, ranks),
                 fmt::format("degrees whose product divides {}, such as {}", ranks, divisors_near(ranks, split)));
}

}  // namespace trainsim
