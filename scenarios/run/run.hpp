// The one way to run a scenario: lower, fold, play, account. Pure apart from the child process that plays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/result.hpp"
#include "simulator/timeline/timeline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct RunOptions {
  bool fold = true;
  std::uint64_t max_events = 50'000'000;  // a play predicted to exceed it is refused
  bool keep_timeline = false;             // for the trace; otherwise RunOutput::timeline is empty
};

// What the classes of the timeline are, for the trace.
struct TraceNames {
  std::vector<std::string> rank_classes;      // "stage 0"
  std::vector<std::string> transfer_classes;  // "tensor", "data" …
  std::vector<std::string> link_classes;      // "nic x1536" …
  std::vector<double> rank_population;
  std::vector<std::vector<std::uint32_t>> members;  // by transfer class: the rank classes that take part
};

struct RunOutput {
  Result result;
  Timeline timeline;
  Program program;
  TraceNames names;
};

// Throws InputError when the play is predicted to exceed max_events, Deadlock or std::runtime_error when it fails.
RunOutput run_scenario(const ResolvedScenario& scenario, const RunOptions& options);

}  // namespace trainsim
