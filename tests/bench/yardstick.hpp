// A fixed piece of work that every benchmark measures beside its own: seconds differ from machine to machine and from
// hour to hour, their ratio to this work's seconds far less.
#pragma once

#include <chrono>

namespace trainsim {

template <class Action>
double seconds_of(const Action& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Sorts an array that is always the same and counts its values in a hash table: like the simulator's own work, branches
// that cannot be guessed and memory out of order. A few milliseconds.
void apply_yardstick();

}  // namespace trainsim
