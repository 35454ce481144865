// The works and collectives that passes through a stage refer to, each kept once in Program::works and
// Program::collectives: a model of any depth needs a few dozen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/build_program.hpp"
#include "workloads/chunk_layout.hpp"

namespace trainsim {

// Index of a Work or Collective; none when there is nothing to run (no kernels, a communicator of one rank).
using Content = std::optional<std::uint32_t>;

class ContentTable {
 public:
  ContentTable(Program& program, const Plan& plan) : program_(program), plan_(plan) {}

  Content work(std::string name, Activity activity, std::vector<Kernel> kernels);
  Content collective(Collective collective);
  [[nodiscard]] const Work& work_at(std::uint32_t index) const { return program_.works[index]; }

 private:
  Program& program_;
  const Plan& plan_;
};

// Pieces into which overlap.tensor cuts a product and the collective next to it, so that each piece of one runs beside
// the next piece of the other: Transformer Engine's default num_splits.
constexpr int kTensorOverlapPieces = 4;

// One op that waits for the one before it; on `stream` a collective, else a work.
struct Step {
  Content what;
  Stream stream = Stream::compute;
};

// The attention core where context parallelism takes part in it.
struct CoreContents {
  Content piece;  // run `pieces` times
  int pieces = 1;
  Content exchange;       // ring: keys and values go to the next rank beside every piece but the last;
  Content last_exchange;  // backward: then their gradients go home
  Content enter, leave;   // Ulysses: positions against heads before, and back after
};

// A block's forward works. All in `middle`, unless products are cut into pieces or the core stands alone.
struct ForwardContents {
  Content lead;
  Content column_piece;  // behind each piece of the gather
  Content middle;
  CoreContents core;
  Content after_core;
  Content row_piece;  // ahead of each piece of the reduction
};

// A block's works. Backward is one work, `backward`, unless communication runs beside parts of it.
struct BlockContents {
  ForwardContents forward;
  ForwardContents full_recompute;  // forward again
  Content selective_recompute;     // a part of it
  Content row_gradient_piece;      // behind each piece of the gather
  Content backward;
  CoreContents core_backward;
  Content after_core_backward;
  Content data_gradient;
  Content weight_gradient;
};

// A block of experts, step by step.
struct ExpertContents {
  std::vector<Step> forward;
  std::vector<Step> full_recompute;
  std::vector<Step> backward;
};

struct PassContents {
  std::array<BlockContents, 2> attention_blocks;  // over all keys, and windowed
  BlockContents mlp, head;
  ExpertContents experts;
  Content embedding_forward, embedding_backward;

  [[nodiscard]] const BlockContents& attention(LayerKind kind) const {
    return attention_blocks[kind.is_windowed ? 1 : 0];
  }

  // Tensor parallelism: what goes before and after the products of a block. With sequence parallelism an all-gather and
  // a reduce-scatter, else nothing and an all-reduce.
  Content gather, reduce;
  Content gather_piece, reduce_piece;
  int pieces = 1;
  Content loss_all_reduce;
  // The saved input's all-gather and the input gradient's reduction run beside products.
  bool overlaps_weight_gradient = false;

  Content send_forward, send_backward;
  Content receive_gather;  // tensor all-gather of a message of which each rank got its share
};

PassContents pass_contents(const Model& model, const Plan& plan, const KernelPolicy& policy, ContentTable& table);

}  // namespace trainsim
