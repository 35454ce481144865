// From the kernels of a block to its works: what runs without communication in between is one work.
#pragma once

#include <string>

#include "workloads/program_contents.hpp"
#include "workloads/transformer_layer.hpp"

namespace trainsim {

// What communication runs beside, and so which works a block is taken apart into.
struct Overlaps {
  bool gather = false;           // products in pieces beside the gather of their input,
  bool reduce = false;           // beside the reduction of their output
  bool weight_gradient = false;  // input gradient's reduction beside the weight gradient,
  bool data_gradient = false;    // saved input's gather beside the data gradient
};

// What context parallelism exchanges around or beside an attention core; empty without it.
struct ContextExchange {
  Content forward, backward;  // ring: keys and values; with their gradients
  Content enter, leave;       // Ulysses, forward; backward the other way round
  [[nodiscard]] bool is_there() const { return forward || enter; }
};

BlockContents block_contents(const std::string& name, const BlockKernels& kernels, const Overlaps& overlaps,
                             const ContextExchange& exchange, RecomputeKind recompute, ContentTable& table);

}  // namespace trainsim
