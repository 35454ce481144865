#include "workloads/data_communication.hpp"

#include "workloads/bucketed_gradients.hpp"
#include "workloads/full_sharding.hpp"
#include "workloads/shards.hpp"

namespace trainsim {

std::unique_ptr<DataCommunication> make_data_communication(const Model& model, const Plan& plan,
                                                           const std::vector<ChunkLayout>& layouts,
                                                           ContentTable& table) {
  if (plan.sharding == ShardingKind::full) return std::make_unique<FullSharding>(model, plan, layouts, table);
  return std::make_unique<BucketedGradients>(model, plan, layouts, table);
}

Parameters updated_parameters(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts) {
  Parameters held = held_parameters(layouts, model, plan);
  held.frozen = 0;
  return shard_of(held, optimizer_shards(plan));
}

}  // namespace trainsim
