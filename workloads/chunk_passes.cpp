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
    run(contents_.head.forward.middle);
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

void ChunkPasses::gather_and_run(Content piece) {
  const Dependencies start = ready_;
  for (int i = 0; i < contents_.pieces; ++i) {
    if (contents_.gather_piece) {
      ready_ = {emitter_.collective(Stream::tensor_comm, *contents_.gather_piece, start)};
    }
    run(piece);
  }
}

void ChunkPasses::run_and_reduce(Content piece) {
  const Dependencies start = ready_;
  for (int i = 0; i < contents_.pieces; ++i) {
    ready_ = start;
    run(piece);
    communicate(contents_.reduce_piece);
  }
}

void ChunkPasses::forward_block(const ForwardContents& block) {
  run(block.lead);
  gather_and_run(block.column_piece);
  run(block.middle);
  run_and_reduce(block.row_piece);
}

void ChunkPasses::recompute_layer() {
  forward_block(contents_.attention.full_recompute);
  forward_block(contents_.mlp.full_recompute);
}

void ChunkPasses::backward_block(const BlockContents& block, Gradients gradients) {
  if (gradients == Gradients::scattered) gather_and_run(block.row_gradient_piece);
  if (!contents_.overlaps_weight_gradient) communicate(contents_.gather);  // of the saved input
  run(block.selective_recompute);
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
