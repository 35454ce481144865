// The kernels that one rank runs for one micro-batch through a transformer's parts: attention block, MLP block,
// embedding and head (expert_block.hpp has the block of experts). Shapes are the rank's share under tensor and context
// parallelism.
//
// Linear layers are split as Megatron does (arXiv 1909.08053): the first product of a block by columns, the last by
// rows, so that one collective per block and direction suffices. Everything after a block's last collective (bias,
// dropout, residual, next norm) is counted with the block that reads it.
//
// Memory-bound kernels are counted in passes over U = one micro-batch's hidden states (tokens x hidden size, 16 bit):
// per norm 2 forward and 3 backward, per residual addition 3 and 4.5 (with dropout 3.5 and 5.5), per attention
// block 8 over the queries for the layout changes of unfused attention or 4 (6 backward) for those of a fused one, per
// activation the elements read and written. Unfused scale, mask, softmax and dropout make 4.5 passes over the scores,
// backward 6.5.
//
// Selective recomputation runs the unfused attention core again (arXiv 2205.05198); of a fused core nothing. Where a
// stack recomputes more (KernelPolicy::recomputes_attention_only false): also the memory-bound kernels and every second
// matrix product, as PyTorch's selective checkpointing does in torchtitan (keys, attention output, second input of a
// gated MLP).
#pragma once

#include "workloads/build_program.hpp"
#include "workloads/layer_shapes.hpp"
#include "workloads/products.hpp"

namespace trainsim {

// Attention and dense MLP blocks.
struct BlockKernels {
  // Forward, in this order.
  Kernels lead;            // norms, residuals, layout, activation; BERT's transform in the head
  Kernels column_product;  // of the block's whole input
  Kernels core;            // attention core; loss in the head
  Kernels row_product;     // none in the head
  Kernels selective;       // the part that selective recomputation runs again; may be empty
  // Backward, in this order.
  Kernels row_data_gradient;
  Kernels backward;         // what belongs to no other part
  Kernels core_backward;    // attention core
  Kernels data_gradient;    // of the block's input (needs a tensor collective after it)
  Kernels weight_gradient;  // of the column-parallel weight (needs the block's whole input)
  // Into how many equal pieces context parallelism cuts the core; `core` and `core_backward` are one of them.
  int core_pieces = 1;
};

BlockKernels attention_block(const Model& model, LayerKind kind, const Plan& plan, const KernelPolicy& policy);
BlockKernels mlp_block(const Model& model, const Plan& plan, const KernelPolicy& policy);
// Final norm, logits and loss; the logits product is column-parallel.
BlockKernels head_block(const Model& model, const Plan& plan, const KernelPolicy& policy);

struct EmbeddingKernels {
  Kernels forward;
  Kernels backward;
};
EmbeddingKernels embedding_kernels(const Model& model, const Plan& plan, const KernelPolicy& policy);

}  // namespace trainsim
