#include "workloads/chunk_passes.hpp"

namespace trainsim {

Dependencies ChunkPasses::forward(const ChunkLayout& layout, const ChunkPass& pass, const Dependencies& start) {
  ready_ = start;
  const auto begin = [&](std::size_t part) { wait_for(data_.before_forward(emitter_, pass, part)); };
  if (layout.has_embedding) {
    begin(layout.embedding_part());
    run(contents_.embedding_forward);
    communicate(Stream::tensor_comm, contents_.reduce);
  }
  for (std::size_t layer = 0; layer < layout.layers.size(); ++layer) {
    begin(layout.layer_part(layer));
    forward_layer(layout.layers[layer]);
  }
  if (layout.has_head) {
    begin(layout.head_part());
    communicate(Stream::tensor_comm, contents_.gather);
    run(contents_.head.forward.middle);
    communicate(Stream::tensor_comm, contents_.loss_all_reduce);
  }
  return ready_;
}

Dependencies ChunkPasses::backward(const ChunkLayout& layout, const ChunkPass& pass, const Dependencies& start) {
  ready_ = start;
  const auto begin = [&](std::size_t part) { wait_for(data_.before_backward(emitter_, pass, part)); };
  const auto done = [&](std::size_t part) { wait_for(data_.part_done(emitter_, pass, part)); };
  if (layout.has_head) {
    begin(layout.head_part());
    backward_block(contents_.head, Gradients::whole);
    done(layout.head_part());
  }
  for (std::size_t layer = layout.layers.size(); layer-- > 0;) {
    begin(layout.layer_part(layer));
    const LayerKind kind = layout.layers[layer];
    if (static_cast<std::int64_t>(layer) < layout.recomputed_layers) recompute_layer(kind);
    backward_layer(kind);
    done(layout.layer_part(layer));
  }
  if (layout.has_embedding) {
    begin(layout.embedding_part());
    communicate(Stream::tensor_comm, contents_.gather);
    run(contents_.embedding_backward);
    done(layout.embedding_part());
  }
  return ready_;
}

void ChunkPasses::run(Content work) {
  if (work) ready_ = {emitter_.work(*work, ready_)};
}

void ChunkPasses::communicate(Stream stream, Content collective) {
  if (collective) ready_ = {emitter_.collective(stream, *collective, ready_)};
}

void ChunkPasses::run_steps(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (step.stream == Stream::compute) {
      run(step.what);
    } else {
      communicate(step.stream, step.what);
    }
  }
}

void ChunkPasses::wait_for(const Dependencies& more) {
  for (const Wait& wait : more.waits()) ready_.add(wait);
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
    communicate(Stream::tensor_comm, contents_.reduce_piece);
  }
}

// Each piece works on the keys that the shift before it brought, while the next shift is on its way. Backward, a shift
// also carries the gradients that the piece before it has made.
void ChunkPasses::run_core(const CoreContents& core) {
  communicate(Stream::context_comm, core.enter);
  Dependencies keys = ready_;
  for (int piece = 0; piece < core.pieces; ++piece) {
    if (piece > 0) wait_for(keys);
    if (core.exchange && piece + 1 < core.pieces) {
      const Dependencies& sent = core.last_exchange ? ready_ : keys;
      keys = {emitter_.collective(Stream::context_comm, *core.exchange, sent)};
    }
    run(core.piece);
  }
  communicate(Stream::context_comm, core.last_exchange);
  communicate(Stream::context_comm, core.leave);
}

void ChunkPasses::forward_block(const ForwardContents& block) {
  run(block.lead);
  gather_and_run(block.column_piece);
  run(block.middle);
  run_core(block.core);
  run(block.after_core);
  run_and_reduce(block.row_piece);
}

void ChunkPasses::forward_layer(LayerKind kind) {
  forward_block(contents_.attention(kind).forward);
  if (kind.has_experts) {
    run_steps(contents_.experts.forward);
  } else {
    forward_block(contents_.mlp.forward);
  }
}

void ChunkPasses::recompute_layer(LayerKind kind) {
  forward_block(contents_.attention(kind).full_recompute);
  if (kind.has_experts) {
    run_steps(contents_.experts.full_recompute);
  } else {
    forward_block(contents_.mlp.full_recompute);
  }
}

void ChunkPasses::backward_layer(LayerKind kind) {
  if (kind.has_experts) {
    run_steps(contents_.experts.backward);
  } else {
    backward_block(contents_.mlp, Gradients::scattered);
  }
  backward_block(contents_.attention(kind), Gradients::scattered);
}

void ChunkPasses::backward_block(const BlockContents& block, Gradients gradients) {
  if (gradients == Gradients::scattered) gather_and_run(block.row_gradient_piece);
  if (!contents_.overlaps_weight_gradient) communicate(Stream::tensor_comm, contents_.gather);  // of the saved input
  run(block.selective_recompute);
  run(block.backward);
  run_core(block.core_backward);
  run(block.after_core_backward);
  end_backward_block(block);
}

void ChunkPasses::end_backward_block(const BlockContents& block) {
  if (!contents_.overlaps_weight_gradient) {
    communicate(Stream::tensor_comm, contents_.reduce);
    return;
  }
  Dependencies saved_input;
  if (contents_.gather) {
    saved_input = {emitter_.collective(Stream::tensor_comm, *contents_.gather, ready_)};
  }
  run(block.data_gradient);
  communicate(Stream::tensor_comm, contents_.reduce);
  if (!block.weight_gradient) return;
  emitter_.work(*block.weight_gradient, saved_input);
  ready_.add(emitter_.finished(Stream::compute));
}

}  // namespace trainsim
