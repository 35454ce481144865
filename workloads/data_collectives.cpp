#include "workloads/data_collectives.hpp"

#include <algorithm>

#include "workloads/low_precision.hpp"
#include "workloads/shards.hpp"

namespace trainsim {

double gathered_parameter_bytes(const Plan& plan, bool is_layer) {
  return is_layer && plan.low_precision_weights && is_below_16_bits(plan.precision)
             ? low_precision_bytes(plan)
             : activation_element_bytes(plan.precision);
}

Content DataCollectives::gather(Group group, double parameters, double parameter_bytes) const {
  return collective("parameter all-gather", CollectiveKind::all_gather, group, parameters * parameter_bytes);
}

Content DataCollectives::reduce_scatter(Group group, double gradients) const {
  return collective("gradient reduce-scatter", CollectiveKind::reduce_scatter, group,
                    gradients * element_bytes(plan_.grad_dtype));
}

Content DataCollectives::all_reduce(Group group, double gradients) const {
  return collective("gradient all-reduce", CollectiveKind::all_reduce, group,
                    gradients * element_bytes(plan_.grad_dtype));
}

Content DataCollectives::tied_embedding(const Model& model, const std::vector<ChunkLayout>& layouts) const {
  const bool holds_embedding = std::any_of(layouts.begin(), layouts.end(), [](const ChunkLayout& layout) {
    return layout.has_embedding || layout.has_head;
  });
  if (!model.tied_embeddings || model.lora || !holds_embedding) return std::nullopt;
  const double gradients = vocabulary_parameters(model, plan_.tensor) / weight_shards(plan_).dense;
  return collective("embedding gradient all-reduce", CollectiveKind::all_reduce, Group::embedding,
                    gradients * element_bytes(plan_.grad_dtype));
}

Content DataCollectives::collective(const std::string& what, CollectiveKind kind, Group group, double bytes) const {
  if (bytes <= 0) return std::nullopt;
  const std::string prefix = group == Group::expert_data ? "expert " : "";
  return table_.collective({prefix + what, kind, group, bytes});
}

}  // namespace trainsim
