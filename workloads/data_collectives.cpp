#include "workloads/data_collectives.hpp"

#include <algorithm>

#include "workloads/low_precision.hpp"

namespace trainsim {

Peers data_peers(const Plan& plan) { return {Group::data, plan.data_ranks()}; }

Peers expert_peers(const Plan& plan) { return {Group::expert_data, plan.expert_replicas()}; }

Peers shard_peers(const Plan& plan) { return {Group::shard, plan.sharding_group}; }

Peers replica_peers(const Plan& plan) { return {Group::replica, plan.data_ranks() / plan.sharding_group}; }

double gathered_parameter_bytes(const Plan& plan, bool is_layer) {
  return is_layer && plan.gathers_products_precision && is_below_16_bits(plan)
             ? low_precision_bytes(plan)
             : activation_element_bytes(plan.precision);
}

Content DataCollectives::gather(const Peers& peers, double parameters, double parameter_bytes) const {
  return collective("parameter all-gather", CollectiveKind::all_gather, peers, parameters * parameter_bytes);
}

Content DataCollectives::reduce_scatter(const Peers& peers, double gradients) const {
  return collective("gradient reduce-scatter", CollectiveKind::reduce_scatter, peers,
                    gradients * element_bytes(plan_.grad_dtype));
}

Content DataCollectives::all_reduce(const Peers& peers, double gradients) const {
  return collective("gradient all-reduce", CollectiveKind::all_reduce, peers,
                    gradients * element_bytes(plan_.grad_dtype));
}

Content DataCollectives::tied_embedding(const Model& model, const std::vector<ChunkLayout>& layouts) const {
  const bool holds_embedding = std::any_of(layouts.begin(), layouts.end(), [](const ChunkLayout& layout) {
    return layout.has_embedding || layout.has_head;
  });
  if (!model.tied_embeddings || model.lora || !holds_embedding) return std::nullopt;
  const std::int64_t shards = plan_.sharding == ShardingKind::full ? plan_.sharding_group : 1;
  const double gradients = vocabulary_parameters(model, plan_.tensor) / static_cast<double>(shards);
  return collective("embedding gradient all-reduce", CollectiveKind::all_reduce, {Group::embedding, plan_.pipeline},
                    gradients * element_bytes(plan_.grad_dtype));
}

Content DataCollectives::collective(const std::string& what, CollectiveKind kind, const Peers& peers,
                                    double bytes) const {
  if (bytes <= 0) return std::nullopt;
  const std::string prefix = peers.group == Group::expert_data ? "expert " : "";
  return table_.collective({prefix + what, kind, peers.group, bytes}, peers.ranks);
}

}  // namespace trainsim
