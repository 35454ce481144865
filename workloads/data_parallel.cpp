#include "workloads/data_parallel.hpp"

#include <numeric>

namespace trainsim {
namespace {

std::int64_t data_ranks(const Plan& plan) { return plan.data * plan.context; }

}  // namespace

DataParallel::DataParallel(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts,
                           ContentTable& table)
    : plan_(plan), gathers_(plan.sharding != ShardingKind::none && data_ranks(plan) > 1) {
  bool holds_embedding = false;
  for (const ChunkLayout& layout : layouts) {
    const std::vector<double> parameters = part_parameters(layout, model, plan);
    owned_parameters_ += std::accumulate(parameters.begin(), parameters.end(), 0.0);
    chunks_.push_back(make_buckets(parameters, table));
    holds_embedding = holds_embedding || layout.has_embedding || layout.has_head;
  }
  if (plan.sharding != ShardingKind::none) owned_parameters_ /= static_cast<double>(data_ranks(plan));
  if (model.tied_embeddings && holds_embedding) {
    const double bytes = vocabulary_parameters(model, plan.tensor) * element_bytes(plan.grad_dtype);
    embedding_all_reduce_ = table.collective(
        {"embedding gradient all-reduce", CollectiveKind::all_reduce, Group::embedding, bytes}, plan.pipeline);
  }
}

DataParallel::ChunkBuckets DataParallel::make_buckets(const std::vector<double>& part_parameters,
                                                      ContentTable& table) const {
  ChunkBuckets chunk;
  if (data_ranks(plan_) == 1) return chunk;
  const double gradient_bytes = element_bytes(plan_.grad_dtype);
  chunk.buckets = fill_buckets(part_parameters, plan_.overlap.bucket_bytes / gradient_bytes);
  const bool is_sharded = plan_.sharding != ShardingKind::none;
  const auto reduce = [&](double parameters) {
    return table.collective({is_sharded ? "gradient reduce-scatter" : "gradient all-reduce",
                             is_sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, Group::data,
                             parameters * gradient_bytes},
                            data_ranks(plan_));
  };
  const auto gather = [&](double parameters) -> Content {
    if (!is_sharded) return std::nullopt;
    return table.collective({"parameter all-gather", CollectiveKind::all_gather, Group::data,
                             parameters * activation_element_bytes(plan_.precision)},
                            data_ranks(plan_));
  };
  const std::size_t count = chunk.buckets.parameters.size();
  if (count == 0) return chunk;
  chunk.reduce.assign(count, reduce(chunk.buckets.parameters.front()));
  chunk.gather.assign(count, gather(chunk.buckets.parameters.front()));
  chunk.reduce.back() = reduce(chunk.buckets.parameters.back());
  chunk.gather.back() = gather(chunk.buckets.parameters.back());
  return chunk;
}

void DataParallel::begin_step(OpEmitter& emitter) {
  if (gathers_ && plan_.overlap.parameter_gather) gather_all(emitter, {OpEmitter::previous_step(Stream::compute)});
}

Dependencies DataParallel::before_step() const {
  if (gathers_ && !plan_.overlap.parameter_gather) return {OpEmitter::previous_step(Stream::data_comm)};
  return {};
}

Wait DataParallel::parameters_of(std::size_t chunk, std::size_t part) const {
  Wait wait;
  wait.stream = Stream::data_comm;
  const std::vector<std::uint32_t>& gathers = chunks_[chunk].gathers_before;
  if (plan_.overlap.parameter_gather && part < gathers.size()) wait.count = gathers[part];
  return wait;
}

// Buckets in the reverse order of the backward pass, so that the forward pass finds its first parts first.
void DataParallel::gather_all(OpEmitter& emitter, Dependencies first) {
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    ChunkBuckets& chunk = chunks_[c];
    emitter.label(static_cast<std::int32_t>(c), -1);
    std::vector<std::uint32_t> gathered(chunk.gather.size());
    for (std::size_t bucket = chunk.gather.size(); bucket-- > 0;) {
      gathered[bucket] = emitter.collective(Stream::data_comm, chunk.gather[bucket].value(), first).count;
      first = {};
    }
    chunk.gathers_before.clear();
    if (gathered.empty()) continue;
    for (const std::size_t bucket : chunk.buckets.first_bucket) chunk.gathers_before.push_back(gathered[bucket]);
  }
}

void DataParallel::reduce_until(OpEmitter& emitter, ChunkBuckets& chunk, std::size_t end) {
  for (; chunk.next_bucket < end; ++chunk.next_bucket) {
    emitter.collective(Stream::data_comm, chunk.reduce[chunk.next_bucket].value(), {emitter.finished(Stream::compute)});
  }
}

void DataParallel::part_done(OpEmitter& emitter, std::size_t chunk, std::size_t part, bool is_last) {
  if (!plan_.overlap.gradient_reduce || !(is_last || plan_.reduces_every_micro_batch)) return;
  ChunkBuckets& buckets = chunks_[chunk];
  std::size_t end = buckets.next_bucket;
  while (end < buckets.reduce.size() && buckets.buckets.last_part[end] <= part) ++end;
  reduce_until(emitter, buckets, end);
}

Dependencies DataParallel::pass_done(OpEmitter& emitter, std::size_t chunk) {
  if (!plan_.reduces_every_micro_batch) return {};
  ChunkBuckets& buckets = chunks_[chunk];
  reduce_until(emitter, buckets, buckets.reduce.size());
  buckets.next_bucket = 0;
  if (plan_.overlap.gradient_reduce) return {};
  return {emitter.finished(Stream::data_comm)};
}

void DataParallel::end_backward(OpEmitter& emitter) {
  for (std::size_t c = 0; c < chunks_.size() && !plan_.reduces_every_micro_batch; ++c) {
    emitter.label(static_cast<std::int32_t>(c), -1);
    reduce_until(emitter, chunks_[c], chunks_[c].reduce.size());
  }
  emitter.label(0, -1);
  if (embedding_all_reduce_) {
    emitter.collective(Stream::data_comm, *embedding_all_reduce_, {emitter.finished(Stream::compute)});
  }
}

void DataParallel::end_step(OpEmitter& emitter) {
  if (gathers_ && !plan_.overlap.parameter_gather) gather_all(emitter, {emitter.finished(Stream::compute)});
}

}  // namespace trainsim
