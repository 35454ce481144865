#include "workloads/chunk_passes.hpp"

namespace trainsim {

Dependencies ChunkPasses::forward(const ChunkLayout& layout, const Pass& pass, const Dependencies& start) {
  ready_ = start;
  if (layout.has_embedding) {
    wait_for_parameters(pass, layout.embedding_part());
    run(contents_.embedding_forward);
    communicate(contents_.reduce);
  }
  for (std::int64_t layer = 0; layer < layout.layers; ++layer) {
    wait_for_parameters(pass, layout.layer_part(layer));
    forward_block(contents_.attention.forward);
    forward_block(contents_.mlp.forward);
  }
  if (layout.has_head) {
    wait_for_parameters(pass, layout.head_part());
    communicate(contents_.gather);
    run(contents_.head.forward);
    communicate(contents_.loss_all_reduce);
  }
  return ready_;
}

Dependencies ChunkPasses::backward(const ChunkLayout& layout, const Pass& pass, const Dependencies& start) {
  ready_ = start;
  const auto done = [&](std::size_t part) { data_.part_done(emitter_, pass.chunk, part, pass.is_last); };
  if (layout.has_head) {
    backward_block(contents_.head, Gradients::whole);
    done(layout.head_part());
  }
  for (std::int64_t layer = layout.layers - 1; layer >= 0; --layer) {
    if (layer < layout.recomputed_layers) recompute_layer();
    backward_block(contents_.mlp, Gradients::scattered);
    backward_block(contents_.attention, Gradients::scattered);
    done(layout.layer_part(layer));
  }
  if (layout.has_embedding) {
    communicate(contents_.gather);
    run(contents_.embedding_backward);
    done(layout.embedding_part());
  }
  return ready_;
}

void ChunkPasses::run(Content work) {
  if (work) ready_ = {emitter_.work(*work, ready_)};
}

void ChunkPasses::communicate(Content collective) {
  if (collective) ready_ = {emitter_.collective(Stream::tensor_comm, *collective, ready_)};
}

void ChunkPasses::wait_for_parameters(const Pass& pass, std::size_t part) {
  if (pass.is_first) ready_.add(data_.parameters_of(pass.chunk, part));
}

void ChunkPasses::forward_block(Content products) {
  communicate(contents_.gather);
  run(products);
  communicate(contents_.reduce);
}

void ChunkPasses::recompute_layer() {
  forward_block(contents_.attention.recompute);
  forward_block(contents_.mlp.recompute);
}

void ChunkPasses::backward_block(const BlockContents& block, Gradients gradients) {
  if (gradients == Gradients::scattered) communicate(contents_.gather);
  if (!contents_.overlaps_weight_gradient) communicate(contents_.gather);  // of the saved input
  if (recompute_ == RecomputeKind::selective) run(block.recompute);
  run(block.backward);
  if (!contents_.overlaps_weight_gradient) {
    communicate(contents_.reduce);
    return;
  }
  Dependencies saved_input;
  if (contents_.gather) {
    saved_input = {emitter_.collective(Stream::tensor_comm, *contents_.gather, ready_)};
  }
  run(block.data_gradient);
  communicate(contents_.reduce);
  emitter_.work(block.weight_gradient.value(), saved_input);
  ready_.add(emitter_.finished(Stream::compute));
}

}  // namespace trainsim
