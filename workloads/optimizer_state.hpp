// What optimizers keep per trained parameter: a master copy of 4 bytes where weights have 16 bits, and moments, of 4
// bytes each unless plan.optimizer_state names a narrower type:
//
//   adam, adamw   two                                   arXiv 1910.02054, section 3.1: K = 12 with the master copy
//   adam8bit      two of 1 byte                         arXiv 2110.02861; its block scales (1/64 byte) are left out
//   momentum      one
//   muon          one; embedding and head use Adam      arXiv 2502.16982, section 2
//   sgd           none
//   adafactor     none; per matrix the row and column sums of the squared gradients, 4 (outputs + inputs) bytes:
//                 arXiv 1804.04235, section 3. Vectors' squared gradients are left out.
#pragma once

#include <string>

#include "workloads/chunk_layout.hpp"

namespace trainsim {

// Master copy and moments; of muon, for a layer's matrices; of adafactor, the master copy. Throws std::invalid_argument
// for an unknown optimizer or type.
double optimizer_state_bytes_per_parameter(const std::string& optimizer, const std::string& state,
                                           const std::string& precision);

struct OptimizerBytes {
  double dense = 0;
  double expert = 0;
};
// Of all parts of a chunk on one rank, unsharded.
OptimizerBytes optimizer_bytes(const ChunkLayout& layout, const Model& model, const Plan& plan);

}  // namespace trainsim
