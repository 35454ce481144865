// Ranks as points of a grid tensor x context x data x pipeline, numbered with the plan's fastest-varying axis first,
// and the communicators they form. Experts are spread over the tensor x context x data ranks of a stage, taken in that
// order: expert_tensor neighbours first, then the experts, then the replicas.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/base/ids.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

// Who takes part in a collective or a send. Each rank is in at most one communicator of a group, except that a stage
// sends to the next one (pipeline_forward) and the previous one (pipeline_backward); there the sender comes first.
enum class Group : std::uint8_t {
  tensor,
  context,
  data,               // data x context: dense gradients, optimizer shards
  shard,              // ranks of `data` that full sharding spreads one copy over
  replica,            // ranks of `data` that hold the same shard (hybrid sharding)
  expert,             // ranks that hold one copy of all experts between them
  expert_tensor,      // ranks that share each of their experts' matrices
  expert_data,        // ranks that hold the same experts
  pipeline_forward,   // {stage s, stage s + 1}; with virtual stages also {last, first}
  pipeline_backward,  // {stage s, stage s - 1}; with virtual stages also {first, last}
  embedding,          // first and last stage, when the embedding is tied
  gradient_norm,  // those that sum the norm: tensor x pipeline, with data x context where gradients are spread there
};
constexpr std::size_t kGroups = 12;

struct GridPoint {
  std::int64_t tensor = 0;
  std::int64_t context = 0;
  std::int64_t data = 0;
  std::int64_t pipeline = 0;
};

// Whether ranks of data x context hold different gradients after reduction: shards, or experts.
bool spreads_gradients(const Plan& plan);

// Ranks in one communicator of a group; a send's two are 2, and 1 where there is nobody to send to.
std::int64_t group_size(Group group, const Plan& plan);

class RankGrid {
 public:
  explicit RankGrid(const Plan& plan);

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] GridPoint point(RankId rank) const;
  [[nodiscard]] RankId rank(const GridPoint& point) const;
  // All communicators of a group, members in the order in which NCCL would number them. Groups of one rank are left
  // out.
  [[nodiscard]] std::vector<std::vector<RankId>> communicators(Group group, const Plan& plan) const;

 private:
  std::int64_t size_ = 1;
  GridPoint extent_;
  GridPoint stride_;
};

}  // namespace trainsim
