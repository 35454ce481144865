#include "workloads/data_communication.hpp"

#include "workloads/bucketed_gradients.hpp"
#include "workloads/full_sharding.hpp"

namespace trainsim {

std::unique_ptr<DataCommunication> make_data_communication(const Model& model, const Plan& plan,
                                                           const std::vector<ChunkLayout>& layouts,
                                                           ContentTable& table) {
  if (plan.sharding == ShardingKind::full) return std::make_unique<FullSharding>(model, plan, layouts, table);
  return std::make_unique<BucketedGradients>(model, plan, layouts, table);
}

Parameters updated_parameters(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts) {
  Parameters updated;
  for (const ChunkLayout& layout : layouts) {
    for (const Parameters& part : part_parameters(layout, model, plan)) updated += part;
  }
  updated.frozen = 0;
  if (plan.sharding == ShardingKind::none) return updated;
  const std::int64_t shards = plan.sharding == ShardingKind::full ? plan.sharding_group : plan.data_ranks();
  updated.dense /= static_cast<double>(shards);
  updated.expert /= static_cast<double>(plan.expert_replicas());
  return updated;
}

}  // namespace trainsim
