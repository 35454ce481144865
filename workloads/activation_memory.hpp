// What a rank keeps of one micro-batch between its forward and its backward pass, and holds for a while within one.
//
// Per layer, n tokens on a rank (sequence / context), element of e bytes, t tensor ranks, a query heads, k key-value
// heads, head size d, inner width f; m = bytes of an element that is kept as the input of a matrix product:
//   kept whole (1/t with sequence parallelism)   n (2 e h + 2 m h + 2 h)    norm and matrix inputs; 2 h: dropout masks
//   split                                        n/t (e (a + 2 k) d + m a d + e f (1, or 2 when gated) + m f)
//   unfused attention core                       n s/t a (e, or 2 e + 1 with dropout)   softmax, its mask, its dropout
//   fused attention core                         4 n a/t                    the softmax's normaliser, fp32
// m = e but for products below 16 bits, which keep their operands as they read them (low_precision.hpp); fused
// attention then keeps its output a second time, in 16 bits. With f = 4 h, a d = h, k = a, e = m = 2 and dropout these
// are equations 1, 2 and 4 of Korthikanti et al., arXiv 2205.05198. An unfused core keeps the full square of scores,
// under a window too.
//
// Latent attention (arXiv 2405.04434): compressed queries, keys and values as inputs of their norms and of the
// up-projections, the shared rotary key, and queries, keys and values of every head.
// Ulysses gives each of more context ranks than key-value heads one of them.
//
// Experts, with r rows on the fullest rank (expert_load.hpp; those gathered from expert_tensor ranks too), n' tokens
// that a rank routes and top_k copies of each: the router's input in 16 bits and fp32 probabilities n' x experts; per
// row the dispatched input (m h) and the expert's activations; e h for each copy that comes back, for the weighted
// sum's gradient; the activations of shared experts as of an MLP. Indices are left out.
//
// LoRA (arXiv 2106.09685): a frozen matrix needs its input for no gradient, so it is kept only for an adapter, in 16
// bits, with the adapter's inner activation.
//
// Selective recomputation drops the unfused core (equation 6); where a stack recomputes more, a layer keeps its input,
// attention's output and the outputs of every second matrix product: q, v, up and down (PyTorch's selective
// checkpointing as torchtitan sets it; of latent attention all but the up-projected keys and values and the output;
// experts are not recomputed). Full recomputation keeps the layer's input. The embedding also keeps token ids and a
// dropout mask, the head the inputs of its norm and of its matrix (that one not when frozen) and the fp32 softmax
// (section 4.3).
#pragma once

#include "workloads/build_program.hpp"

namespace trainsim {

// What one layer keeps of one micro-batch on one rank.
struct LayerActivations {
  double total_bytes = 0;      // without recomputation
  double selective_bytes = 0;  // with selective recomputation
  double input_bytes = 0;      // with full recomputation
};
LayerActivations layer_activations(const Model& model, LayerKind kind, const Plan& plan, const KernelPolicy& kernels);

double embedding_activation_bytes(const Model& model, const Plan& plan);
// `softmax_bytes` of each logit are kept.
double head_activation_bytes(const Model& model, const Plan& plan, double softmax_bytes);
// Logits of one micro-batch on one rank.
double logits_per_micro_batch(const Model& model, const Plan& plan);

// Tensors that live only while one layer runs backward: gradients of its output and of its widest inner activation,
// with sequence parallelism the gathered input and its gradient; of experts, the rows of one exchange and of the copies
// before or after it. Ring attention has two pairs of keys and values, with their gradients, under way (arXiv
// 2310.01889); Ulysses, queries, keys and values as they were before the exchange.
double layer_workspace_bytes(const Model& model, LayerKind kind, const Plan& plan);

}  // namespace trainsim
