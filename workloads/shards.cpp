#include "workloads/shards.hpp"

namespace trainsim {
namespace {

Shards shards_of_a_copy(const Plan& plan) {
  const bool is_full = plan.sharding == ShardingKind::full;
  return {static_cast<double>(is_full ? plan.sharding_group : plan.data_ranks()),
          static_cast<double>(plan.expert_replicas())};
}

}  // namespace

Shards weight_shards(const Plan& plan) {
  return plan.sharding == ShardingKind::full ? shards_of_a_copy(plan) : Shards{};
}

Shards gradient_shards(const Plan& plan) {
  const bool may = plan.sharding == ShardingKind::gradients || plan.sharding == ShardingKind::full;
  return may && plan.reduces_every_micro_batch ? shards_of_a_copy(plan) : Shards{};
}

Shards optimizer_shards(const Plan& plan) {
  return plan.sharding == ShardingKind::none ? Shards{} : shards_of_a_copy(plan);
}

Parameters shard_of(const Parameters& whole, const Shards& shards) {
  return {whole.dense / shards.dense, whole.expert / shards.expert, whole.frozen / shards.dense};
}

}  // namespace trainsim
