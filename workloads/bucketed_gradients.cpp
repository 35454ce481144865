#include "workloads/bucketed_gradients.hpp"

#include <algorithm>

#include "workloads/gradient_buckets.hpp"

namespace trainsim {

namespace {

// Of parameters that buckets mix: a bucket knows how many it holds, not whose.
struct MeanWidth {
  double parameters = 0;
  double total_bytes = 0;

  void add(double count, double parameter_bytes) {
    parameters += count;
    total_bytes += count * parameter_bytes;
  }
  [[nodiscard]] double bytes() const { return parameters > 0 ? total_bytes / parameters : 0; }
};

}  // namespace

BucketedGradients::BucketedGradients(const Model& model, const Plan& plan, const std::vector<ChunkLayout>& layouts,
                                     ContentTable& table)
    : plan_(plan) {
  const DataCollectives collectives(plan, table);
  for (const ChunkLayout& layout : layouts) {
    std::vector<double> dense;
    std::vector<double> expert;
    MeanWidth dense_width;
    const std::vector<Parameters> parts = part_parameters(layout, model, plan);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      dense.push_back(parts[part].dense);
      expert.push_back(parts[part].expert);
      dense_width.add(parts[part].dense, gathered_parameter_bytes(plan, layout.is_layer(part)));
    }
    Chunk& chunk = chunks_.emplace_back();
    add_buckets(chunk, {dense, dense_width.bytes()}, Group::data, collectives);
    add_buckets(chunk, {expert, gathered_parameter_bytes(plan, true)}, Group::expert_data, collectives);
    std::stable_sort(chunk.buckets.begin(), chunk.buckets.end(),
                     [](const Bucket& a, const Bucket& b) { return a.last_part < b.last_part; });
    gathers_ = gathers_ || (plan.sharding != ShardingKind::none && !chunk.buckets.empty());
  }
  embedding_all_reduce_ = collectives.tied_embedding(model, layouts);
}

void BucketedGradients::add_buckets(Chunk& chunk, const BucketedParts& parts, Group group,
                                    const DataCollectives& collectives) const {
  if (group_size(group, plan_) == 1) return;
  const GradientBuckets filled =
      fill_buckets(parts.parameters, plan_.overlap.bucket_bytes / element_bytes(plan_.grad_dtype));
  if (filled.parameters.empty()) return;
  const auto bucket_of = [&](double parameters) {
    Bucket bucket;
    const bool is_sharded = plan_.sharding != ShardingKind::none;
    const Content reduce =
        is_sharded ? collectives.reduce_scatter(group, parameters) : collectives.all_reduce(group, parameters);
    bucket.reduce = reduce.value();
    if (is_sharded) bucket.gather = collectives.gather(group, parameters, parts.gathered_bytes);
    return bucket;
  };
  chunk.buckets.resize(chunk.buckets.size() + filled.parameters.size() - 1, bucket_of(filled.parameters.front()));
  chunk.buckets.push_back(bucket_of(filled.parameters.back()));
  std::size_t at = chunk.buckets.size() - filled.parameters.size();
  for (const std::size_t last_part : filled.last_part) chunk.buckets[at++].last_part = last_part;
}

Dependencies BucketedGradients::begin_step(OpEmitter& emitter) {
  if (!gathers_) return {};
  if (!plan_.overlap.parameter_gather) return {OpEmitter::previous_step(Stream::data_comm)};
  gather_all(emitter, {OpEmitter::previous_step(Stream::compute)});
  return {};
}

// Buckets are gathered from the last to the first: a part has what it needs when the first of its buckets is there,
// which is the first that is not complete before it.
Dependencies BucketedGradients::before_forward(OpEmitter& /*emitter*/, const ChunkPass& pass, std::size_t part) {
  if (!pass.is_first || !gathers_ || !plan_.overlap.parameter_gather) return {};
  const std::vector<Bucket>& buckets = chunks_[pass.chunk].buckets;
  const auto first = std::partition_point(buckets.begin(), buckets.end(),
                                          [&](const Bucket& bucket) { return bucket.last_part < part; });
  if (first == buckets.end()) return {};
  Wait wait;
  wait.stream = Stream::data_comm;
  wait.count = first->gathered;
  return {wait};
}

// In the reverse order of the backward pass, so that the forward pass finds its first parts first.
void BucketedGradients::gather_all(OpEmitter& emitter, Dependencies first) {
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    emitter.label(static_cast<std::int32_t>(c), -1);
    std::vector<Bucket>& buckets = chunks_[c].buckets;
    for (auto bucket = buckets.rbegin(); bucket != buckets.rend(); ++bucket) {
      bucket->gathered = emitter.collective(Stream::data_comm, bucket->gather.value(), first).count;
      first = {};
    }
  }
}

void BucketedGradients::reduce_until(OpEmitter& emitter, Chunk& chunk, std::size_t end) const {
  for (; chunk.next < end; ++chunk.next) {
    emitter.collective(Stream::data_comm, chunk.buckets[chunk.next].reduce, {emitter.finished(Stream::compute)});
  }
}

Dependencies BucketedGradients::part_done(OpEmitter& emitter, const ChunkPass& pass, std::size_t part) {
  if (!plan_.overlap.gradient_reduce || !(pass.is_last || plan_.reduces_every_micro_batch)) return {};
  Chunk& chunk = chunks_[pass.chunk];
  std::size_t end = chunk.next;
  while (end < chunk.buckets.size() && chunk.buckets[end].last_part <= part) ++end;
  reduce_until(emitter, chunk, end);
  return {};
}

Dependencies BucketedGradients::pass_done(OpEmitter& emitter, const ChunkPass& pass) {
  if (!plan_.reduces_every_micro_batch) return {};
  Chunk& chunk = chunks_[pass.chunk];
  reduce_until(emitter, chunk, chunk.buckets.size());
  chunk.next = 0;
  if (plan_.overlap.gradient_reduce) return {};
  return {emitter.finished(Stream::data_comm)};
}

void BucketedGradients::end_backward(OpEmitter& emitter) {
  for (std::size_t c = 0; c < chunks_.size() && !plan_.reduces_every_micro_batch; ++c) {
    emitter.label(static_cast<std::int32_t>(c), -1);
    reduce_until(emitter, chunks_[c], chunks_[c].buckets.size());
  }
  emitter.label(0, -1);
  if (embedding_all_reduce_) {
    emitter.collective(Stream::data_comm, *embedding_all_reduce_, {emitter.finished(Stream::compute)});
  }
}

void BucketedGradients::end_step(OpEmitter& emitter) {
  if (gathers_ && !plan_.overlap.parameter_gather) gather_all(emitter, {emitter.finished(Stream::compute)});
}

}  // namespace trainsim
