// Plays the program of every rank class on the shared links, step after step, until the step time has settled.
//
// Streams run their ops in order; an op starts when its stream has reached it and its waits hold. A collective starts
// when its last member has arrived, a send when its sender reaches it; both are Transfers on the links, where max-min
// decides. Nothing is granted by order of arrival, so equal ranks have equal histories (folding relies on it).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "simulator/conditions/jitter.hpp"
#include "simulator/engine/step_rule.hpp"
#include "simulator/folding/quotient.hpp"
#include "simulator/timeline/timeline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// A tenant that repeats the first use of its communicator.
struct TrafficLoop {
  std::uint32_t communicator = 0;  // communicator class
  double every_s = 0.0;            // start to start; a late one starts when its predecessor ends
  double from_s = 0.0;
  std::optional<double> to_s;
};

// A tenant that takes a fixed share of every link whose NetworkLink::shares has its bit; always, or by exponential
// turns.
struct ShareLoop {
  double share = 0.0;
  std::optional<double> mean_busy_s;
  std::optional<double> mean_quiet_s;
};

struct Play {
  Program program;
  std::vector<double> work_s;  // nominal duration, by Program::works
  // A kernel takes 1 + this times as long while a collective is resident on its GPU, waiting included.
  double overlap_slowdown = 0.0;
  std::array<Synchronisation, kGroups> synchronisations{};
  Quotient quotient;
  std::vector<TrafficLoop> traffic;
  std::vector<ShareLoop> shares;  // by bit
  StepRule rule;
  std::uint64_t seed = 1;
  std::uint64_t max_events = UINT64_MAX;
};

// The play took more events than Play::max_events.
struct TooManyEvents : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The play could not end: the text says who waits on whom.
struct Deadlock : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Works and transfers that `steps` steps start.
std::uint64_t predicted_activities(const Play& play, std::uint32_t steps);

// Plays in this process, which can do so once (SimGrid). Throws Deadlock or TooManyEvents.
Timeline play_here(const Play& play);

// Plays in a forked child, with limits on memory and time, and returns what it left over a pipe. Throws Deadlock or
// TooManyEvents, or std::runtime_error with the reason when the child died.
Timeline play(const Play& play);

}  // namespace trainsim
