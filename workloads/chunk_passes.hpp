// Forward and backward passes of one micro-batch through one chunk, as ops. Within a pass everything follows each other
// (as launches on one CUDA stream do, where collectives hold the compute stream up), except where communication runs
// beside weight and data gradients, or beside pieces of an attention core.
//
//   block forward    [gather] products [reduce]
//   block backward   [gather] backward [gather of the saved input || data gradient] [reduce || weight gradient]
//   in brackets      tensor collectives; gather: only with sequence parallelism (arXiv 2205.05198, figure 5)
//   core, ring       piece of own keys || shift, next piece || shift, …, last piece (arXiv 2310.01889)
//   core, Ulysses    all-to-all, core, all-to-all (arXiv 2309.14509)
//   experts          the steps of ExpertContents
//
// With overlap.tensor, products follow a gather, and reductions the products, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/chunk_layout.hpp"
#include "workloads/data_communication.hpp"
#include "workloads/op_emitter.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

class ChunkPasses {
 public:
  ChunkPasses(const PassContents& contents, OpEmitter& emitter, DataCommunication& data)
      : contents_(contents), emitter_(emitter), data_(data) {}

  // Both take what the first op waits for and return what depends on the pass waits for.
  Dependencies forward(const ChunkLayout& layout, const ChunkPass& pass, const Dependencies& start);
  Dependencies backward(const ChunkLayout& layout, const ChunkPass& pass, const Dependencies& start);

 private:
  enum class Gradients : std::uint8_t { scattered, whole };  // of a block's output, with sequence parallelism

  void run(Content work);
  void communicate(Stream stream, Content collective);
  void run_steps(const std::vector<Step>& steps);
  void wait_for(const Dependencies& more);
  void forward_layer(LayerKind kind);
  void backward_layer(LayerKind kind);
  void recompute_layer(LayerKind kind);
  void forward_block(const ForwardContents& block);
  void run_core(const CoreContents& core);
  void gather_and_run(Content piece);
  void run_and_reduce(Content piece);
  void backward_block(const BlockContents& block, Gradients gradients);
  void end_backward_block(const BlockContents& block);

  const PassContents& contents_;
  OpEmitter& emitter_;
  DataCommunication& data_;
  Dependencies ready_;  // what the next op of the pass waits for
};

}  // namespace trainsim
