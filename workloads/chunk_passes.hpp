// Forward and backward passes of one micro-batch through one chunk, as ops. Within a pass everything follows each other
// (as launches on one CUDA stream do, where collectives hold the compute stream up), except where communication runs
// beside weight and data gradients.
//
//   block forward    [gather] products [reduce]
//   block backward   [gather] backward [gather of the saved input || data gradient] [reduce || weight gradient]
//   in brackets      tensor collectives; gather: only with sequence parallelism (arXiv 2205.05198, figure 5)
//
// With overlap.tensor, products follow a gather, and reductions the products, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/chunk_layout.hpp"
#include "workloads/data_parallel.hpp"
#include "workloads/op_emitter.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

class ChunkPasses {
 public:
  ChunkPasses(const PassContents& contents, OpEmitter& emitter, DataParallel& data)
      : contents_(contents), emitter_(emitter), data_(data) {}

  // Which chunk (virtual stage) it is, and whether this is its first or last pass of that direction in the step.
  struct Pass {
    std::size_t chunk = 0;
    bool is_first = false;
    bool is_last = false;
  };

  // Both take what the first op waits for and return what depends on the pass waits for.
  Dependencies forward(const ChunkLayout& layout, const Pass& pass, const Dependencies& start);
  Dependencies backward(const ChunkLayout& layout, const Pass& pass, const Dependencies& start);

 private:
  enum class Gradients : std::uint8_t { scattered, whole };  // of a block's output, with sequence parallelism

  void run(Content work);
  void communicate(Content collective);
  void wait_for_parameters(const Pass& pass, std::size_t part);
  void forward_block(const ForwardContents& block);
  void gather_and_run(Content piece);
  void run_and_reduce(Content piece);
  void recompute_layer();
  void backward_block(const BlockContents& block, Gradients gradients);

  const PassContents& contents_;
  OpEmitter& emitter_;
  DataParallel& data_;
  Dependencies ready_;  // what the next op of the pass waits for
};

}  // namespace trainsim
