#include "workloads/full_sharding.hpp"

#include <algorithm>

namespace trainsim {

FullSharding::FullSharding(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts,
                           ContentTable& table)
    : plan_(plan) {
  const DataCollectives collectives(plan, table);
  for (const ChunkLayout& layout : layouts) {
    std::vector<Unit>& units = units_.emplace_back();
    const std::vector<Parameters> parts = part_parameters(layout, model, plan);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      units.push_back(make_unit(parts[part], gathered_parameter_bytes(plan, layout.is_layer(part)), plan, collectives));
    }
  }
  keep_for_backward(model, layouts);
  embedding_all_reduce_ = collectives.tied_embedding(model, layouts);
}

FullSharding::Unit FullSharding::make_unit(const Parameters& parameters, double gathered_bytes, const Plan& plan,
                                           const DataCollectives& collectives) {
  Unit unit;
  unit.gather = collectives.gather(Group::shard, parameters.dense + parameters.frozen, gathered_bytes);
  unit.scatter = collectives.reduce_scatter(Group::shard, parameters.dense);
  unit.replica_reduce =
      collectives.all_reduce(Group::replica, parameters.dense / static_cast<double>(plan.sharding_group));
  unit.expert_gather = collectives.gather(Group::expert_data, parameters.expert, gathered_bytes);
  unit.expert_scatter = collectives.reduce_scatter(Group::expert_data, parameters.expert);
  return unit;
}

// The head's backward pass follows its forward pass at once, as a rule.
void FullSharding::keep_for_backward(const Model& model, const std::vector<ChunkLayout>& layouts) {
  Unit* embedding = nullptr;
  for (std::size_t c = 0; c < layouts.size(); ++c) {
    if (layouts[c].has_embedding) embedding = &units_[c][layouts[c].embedding_part()];
    if (!layouts[c].has_head) continue;
    Unit& head = units_[c][layouts[c].head_part()];
    head.is_kept = true;
    if (!model.tied_embeddings || plan_.pipeline > 1 || embedding == nullptr) continue;
    embedding->is_kept = true;
    head.reads = embedding;
  }
}

Dependencies FullSharding::begin_step(OpEmitter& /*emitter*/) {
  step_start_ = {OpEmitter::previous_step(Stream::compute)};
  return {};
}

Dependencies FullSharding::before_forward(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) {
  std::vector<Unit>& units = units_[pass.chunk];
  const Wait ready = use(emitter, units[part], part > 0 ? &units[part - 1] : nullptr);
  if (plan_.reshards_after_forward && !units[part].is_kept) units[part].whole.reset();
  return {ready};
}

Dependencies FullSharding::before_backward(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) {
  std::vector<Unit>& units = units_[pass.chunk];
  const Wait ready = use(emitter, units[part], part + 1 < units.size() ? &units[part + 1] : nullptr);
  if (plan_.reshards_after_forward) units[part].whole.reset();
  return {ready};
}

// What a unit waits for, with the pass's next one on its way.
Wait FullSharding::use(OpEmitter& emitter, Unit& unit, Unit* next) {
  const Wait ready = gather(emitter, unit);
  if (next != nullptr && plan_.overlap.parameter_gather) gather(emitter, *next);
  return ready;
}

// After the compute launched so far: for a unit gathered ahead, all but that of the one before it.
Wait FullSharding::gather(OpEmitter& emitter, Unit& unit) {
  std::uint32_t also_read = 0;
  if (unit.reads != nullptr) also_read = gather(emitter, *unit.reads).count;
  if (!unit.whole) {
    unit.whole = Wait{.stream = Stream::data_comm};
    for (const Content content : {unit.gather, unit.expert_gather}) {
      if (!content) continue;
      step_start_.add(emitter.finished(Stream::compute));
      unit.whole = emitter.collective(Stream::data_comm, *content, step_start_);
      step_start_ = {};
    }
  }
  Wait ready = *unit.whole;
  ready.count = std::max(ready.count, also_read);
  return ready;
}

Dependencies FullSharding::part_done(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) {
  if (!pass.is_last && !plan_.reduces_every_micro_batch) return {};
  const Unit& unit = units_[pass.chunk][part];
  const Dependencies complete = {emitter.finished(Stream::compute)};
  Dependencies reduced = complete;
  if (unit.scatter) reduced = {emitter.collective(Stream::data_comm, *unit.scatter, complete)};
  if (unit.replica_reduce) reduced = {emitter.collective(Stream::replica_comm, *unit.replica_reduce, reduced)};
  if (unit.expert_scatter) reduced.add(emitter.collective(Stream::data_comm, *unit.expert_scatter, complete));
  if (plan_.overlap.gradient_reduce) return {};
  return reduced;
}

void FullSharding::end_backward(OpEmitter& emitter) {
  emitter.label(0, -1);
  if (!embedding_all_reduce_) return;
  emitter.collective(Stream::data_comm, *embedding_all_reduce_,
                     {emitter.finished(Stream::compute), emitter.finished(Stream::replica_comm)});
}

}  // namespace trainsim
