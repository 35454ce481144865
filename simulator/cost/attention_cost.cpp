#include "simulator/cost/attention_cost.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace trainsim {
namespace {

constexpr double kQueriesOfBlock = 128.0;
constexpr double kReferenceHeadSize = 128.0;

// Fitted over all accelerators together.
constexpr double kUnmaskedHalfLength = 0.35;  // of the masked one
constexpr double kUnfilledWave = 0.5;         // of a wave is idle
constexpr double kLaunches = 3.0;             // of a kernel: scheduling, the kernel itself, what follows it
constexpr double kOverlap = 2.5;              // of exponentials with products; 1: none, infinite: complete

double forward_flops(const FusedAttention& attention, double widths) {
  return 2.0 * attention.batch * attention.heads * attention.queries * attention.attended_keys * widths;
}

// As the kernel runs them.
double executed_flops(const FusedAttention& attention) {
  if (!attention.is_backward) return attention_flops(attention);
  return forward_flops(attention, 5.0 * std::max(attention.qk_dim, attention.v_dim));
}

double short_sequence_factor(const FusedAttention& attention, double half_length) {
  const bool is_masked = attention.attended_keys < attention.keys;
  return 1.0 + half_length * (is_masked ? 1.0 : kUnmaskedHalfLength) / attention.keys;
}

double exponentials_factor(double head_size, double half_head_size) {
  return std::pow(1.0 + std::pow(half_head_size / head_size, kOverlap), 1.0 / kOverlap);
}

double narrow_head_factor(const FusedAttention& attention, double half_head_size) {
  const double head_size =
      attention.is_backward ? std::max(attention.qk_dim, attention.v_dim) : (attention.qk_dim + attention.v_dim) / 2.0;
  return exponentials_factor(head_size, half_head_size) / exponentials_factor(kReferenceHeadSize, half_head_size);
}

double unfilled_wave_factor(const FusedAttention& attention, double processors) {
  const double blocks = attention.batch * attention.heads * std::max(1.0, attention.queries / kQueriesOfBlock);
  return 1.0 + kUnfilledWave * processors / blocks;
}

}  // namespace

Roofline attention_time(const FusedAttention& attention, const AttentionRates& rates) {
  assert(rates.peak_flops_per_s > 0.0);
  const double fixed_s = kLaunches * rates.launch_s;
  const double flops = executed_flops(attention);
  if (flops <= 0.0) return {0.0, 0.0, fixed_s};
  const AttentionEfficiency& shares = rates.shares;
  const double share = attention.is_backward ? shares.backward : shares.forward;
  const double compute_s =
      flops / (rates.peak_flops_per_s * share) * short_sequence_factor(attention, shares.half_length) *
      narrow_head_factor(attention, shares.half_head_size) * unfilled_wave_factor(attention, rates.processors);
  return {compute_s, 0.0, fixed_s};
}

double attention_flops(const FusedAttention& attention) {
  if (!attention.is_backward) return forward_flops(attention, attention.qk_dim + attention.v_dim);
  return forward_flops(attention, 3.0 * attention.qk_dim + 2.0 * attention.v_dim);
}

}  // namespace trainsim
