// Noise of kernels and chips. Deterministic models are optimistic at scale: n ranks that synchronise wait for the
// slowest, so each synchronisation costs the expected maximum over n of the noise since their last one. A closed form
// of n, never a draw: equal ranks stay equal.
#pragma once

#include <array>

#include "workloads/plan.hpp"
#include "workloads/rank_grid.hpp"

namespace trainsim {

struct Jitter {
  double kernel = 0.0;  // relative standard deviation of one kernel's duration
  double spread = 0.0;  // of the speed of one chip, which persists, over chips
};

// What a collective of a group adds to the wait of its members, who have since the last one of that group run kernels
// of durations d: per_root_square x sqrt(sum of d^2) + per_second x sum of d. Each group counts for itself, so that no
// order of arrival matters.
struct Synchronisation {
  double per_root_square = 0.0;  // kernel noise
  double per_second = 0.0;       // spread of chips: what a larger group has over those that synchronise inside it
};

std::array<Synchronisation, kGroups> synchronisations(const Jitter& jitter, const Plan& plan);

// Of n independent draws from the standard normal distribution: quantile (n - 3/8) / (n + 1/4), within 2 % (Blom,
// Statistical Estimates and Transformed Beta-Variables, 1958). 0 for one. REQUIRES: n >= 1.
double expected_maximum(double n);

}  // namespace trainsim
