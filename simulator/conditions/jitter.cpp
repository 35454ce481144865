#include "simulator/conditions/jitter.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>

namespace trainsim {
namespace {

// Ranks that have waited for each other, directly or not, before a group synchronises and after.
struct Populations {
  std::int64_t before = 1;
  std::int64_t after = 1;
};

Populations populations(Group group, const Plan& plan) {
  const std::int64_t context = plan.tensor * plan.context;
  const std::int64_t data = context * plan.data;
  const std::int64_t sharded = plan.tensor * group_size(Group::shard, plan);
  switch (group) {
    case Group::tensor:
      return {1, plan.tensor};
    case Group::context:
      return {plan.tensor, context};
    case Group::expert:
    case Group::expert_tensor:
      return {plan.tensor, std::max(plan.tensor, plan.expert * plan.expert_tensor)};
    case Group::shard:
      return {plan.tensor, sharded};
    case Group::replica:
      return {sharded, data};
    case Group::gradient_norm:
      return {data, plan.ranks()};
    case Group::pipeline_forward:
    case Group::pipeline_backward:
      return {1, 1};  // messages do not wait for the slowest of several
    default:
      return {context, data};
  }
}

}  // namespace

std::array<Synchronisation, kGroups> synchronisations(const Jitter& jitter, const Plan& plan) {
  std::array<Synchronisation, kGroups> result{};
  for (std::size_t g = 0; g < kGroups; ++g) {
    const auto group = static_cast<Group>(g);
    const auto [before, after] = populations(group, plan);
    const double size = static_cast<double>(std::max<std::int64_t>(group_size(group, plan), 1));
    const double spread = expected_maximum(static_cast<double>(after)) - expected_maximum(static_cast<double>(before));
    result[g] = {.per_root_square = jitter.kernel * expected_maximum(size),
                 .per_second = jitter.spread * std::max(0.0, spread)};
  }
  return result;
}

double expected_maximum(double n) {
  if (n <= 1.0) return 0.0;
  return boost::math::quantile(boost::math::normal_distribution<double>(), (n - 0.375) / (n + 0.25));
}

}  // namespace trainsim
