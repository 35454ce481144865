// How many token copies the fullest rank of a mixture of experts works on: it sets the pace, and its memory is the
// peak.
//
// With n tokens routed per rank, k experts per token and E ranks that hold one copy of all experts, a balanced router
// sends each rank n k copies. A skewed one sends the fullest rank n k times its load, the sum of its experts' loads
// relative to the mean over all ranks. Listed loads belong to experts in order: rank r holds the r-th block of
// experts/E. Under a power law the i-th expert (from 1) has load ~ 1/i^exponent, and experts are dealt round the ranks
// from the fullest on, so rank r holds the experts r, r + E, r + 2 E … A capacity factor c bounds each expert's load at
// c times the mean; what is above is dropped (arXiv 2101.03961, section 2.2). Assumed: loads do not change with time.
#pragma once

#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

// Of the fullest rank, relative to a balanced one: 1 without skew (less with a capacity factor below 1).
// REQUIRES: model.experts; plan.expert divides their number.
double fullest_rank_load(const Experts& experts, std::int64_t expert_ranks);

// Token copies that arrive per micro-batch at the fullest rank, before ranks that share an expert gather each other's
// (times expert_tensor after): tokens of a rank (its part of the sequence with sequence parallelism) x top_k x load.
// REQUIRES: model.experts.
double routed_tokens_per_rank(const Model& model, const Plan& plan);
// Rows that the rank's experts compute, with those gathered; and the columns of its share of one expert's inner width.
double expert_rows_per_rank(const Model& model, const Plan& plan);
double expert_columns(const Model& model, const Plan& plan);

}  // namespace trainsim
