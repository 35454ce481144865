// Over how many ranks sharding spreads one copy of what a rank would hold: dense and frozen parameters over data x
// context ranks (full sharding: over the shard group), experts over the ranks that hold the same ones.
#pragma once

#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

struct Shards {
  double dense = 1;
  double expert = 1;
};

Shards weight_shards(const Plan& plan);     // full sharding only
Shards gradient_shards(const Plan& plan);   // from ZeRO-2 on, if gradients reduce after every micro-batch
Shards optimizer_shards(const Plan& plan);  // from ZeRO-1 on

// One rank's shard.
Parameters shard_of(const Parameters& whole, const Shards& shards);

}  // namespace trainsim
