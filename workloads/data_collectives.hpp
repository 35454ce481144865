// The collectives that data parallelism is made of: gathers of weights, reductions of gradients. Nothing where there
// are no parameters or no other ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chunk_layout.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

// Bytes of one weight as it travels: of the width in which it enters its part, 16 bits at least; where the plan says so
// (Transformer Engine's and torchao's fp8 gathers) that of the products, which only layers have below 16 bits.
double gathered_parameter_bytes(const Plan& plan, bool is_layer);

// `group`: data or expert_data where weights are whole, shard and replica with full sharding.
class DataCollectives {
 public:
  DataCollectives(const Plan& plan, ContentTable& table) : plan_(plan), table_(table) {}

  // `parameter_bytes`: of one weight as it travels.
  [[nodiscard]] Content gather(Group group, double parameters, double parameter_bytes) const;
  [[nodiscard]] Content reduce_scatter(Group group, double gradients) const;
  [[nodiscard]] Content all_reduce(Group group, double gradients) const;
  // First and last stage add up the gradients of a trained embedding that both hold: whole, or what a rank has of them
  // once they are scattered by full sharding.
  [[nodiscard]] Content tied_embedding(const Model& model, const std::vector<ChunkLayout>& layouts) const;

 private:
  [[nodiscard]] Content collective(const std::string& what, CollectiveKind kind, Group group, double bytes) const;

  const Plan& plan_;
  ContentTable& table_;
};

}  // namespace trainsim
