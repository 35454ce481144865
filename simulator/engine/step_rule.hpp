// When a play has seen enough steps (design: step time). Pure functions of the steps' ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace trainsim {

struct StepRule {
  std::optional<std::uint32_t> fixed_steps;  // simulation.steps; nullopt: auto
  bool has_timed_conditions = false;         // tenants come and go: no two steps need agree
  double slowest_condition_s = 0.0;          // the longest time from start to start of what comes and goes
};

struct MeasuredSteps {
  std::uint32_t first = 1;
  std::uint32_t last = 1;
};

// The steps to measure, once enough have been played; nullopt: play on. Step 0 is warm-up and the last step played is
// never measured. Without timed conditions: the first step whose successor agrees with it to 1e-9 (times rounded to
// nine digits); with them: all steps, once the standard error of their mean is at most 0.5 % and they cover the slowest
// condition five times, or after 64 measured ones.
std::optional<MeasuredSteps> measured_steps(const std::vector<double>& step_ends_s, const StepRule& rule);

}  // namespace trainsim
