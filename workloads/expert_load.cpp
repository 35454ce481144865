#include "workloads/expert_load.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "workloads/layer_shapes.hpp"

namespace trainsim {
namespace {

bool is_balanced(const Experts& experts) { return experts.loads.empty() && experts.power_law == 0; }

// Of each expert relative to their mean, after dropping what is above capacity.
std::vector<double> expert_loads(const Experts& experts) {
  const auto count = static_cast<std::size_t>(experts.experts);
  std::vector<double> loads = experts.loads;
  if (loads.empty()) {
    for (std::size_t i = 1; i <= count; ++i) loads.push_back(std::pow(static_cast<double>(i), -experts.power_law));
  }
  assert(loads.size() == count);
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(count);
  for (double& load : loads) {
    load /= mean;
    if (experts.capacity_factor) load = std::min(load, *experts.capacity_factor);
  }
  return loads;
}

}  // namespace

double fullest_rank_load(const Experts& experts, std::int64_t expert_ranks) {
  assert(experts.experts % expert_ranks == 0);
  if (is_balanced(experts)) return std::min(1.0, experts.capacity_factor.value_or(1.0));
  const std::vector<double> loads = expert_loads(experts);
  const auto ranks = static_cast<std::size_t>(expert_ranks);
  const std::size_t held = loads.size() / ranks;
  std::vector<double> rank_loads(ranks, 0.0);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::size_t rank = experts.loads.empty() ? i % ranks : i / held;
    rank_loads[rank] += loads[i] / static_cast<double>(held);
  }
  return *std::ranges::max_element(rank_loads);
}

double routed_tokens_per_rank(const Model& model, const Plan& plan) {
  assert(model.experts);
  const double tokens = tokens_per_micro_batch(plan) / sequence_shards(plan);
  return tokens * static_cast<double>(model.experts->top_k) * fullest_rank_load(*model.experts, plan.expert);
}

double expert_rows_per_rank(const Model& model, const Plan& plan) {
  return routed_tokens_per_rank(model, plan) * static_cast<double>(plan.expert_tensor);
}

double expert_columns(const Model& model, const Plan& plan) {
  return static_cast<double>(model.experts->ffn_hidden_size) / static_cast<double>(plan.expert_tensor);
}

}  // namespace trainsim
