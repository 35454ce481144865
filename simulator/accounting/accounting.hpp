// Where every GPU-second of the measured steps went, read off the Timeline.
//
// While a GPU's compute stream runs a work, the instant belongs to that work's activity. While it is empty, the instant
// is charged by looking at the op it runs next, back along the dependency that was satisfied last: a transfer in flight
// (start-up latency included) -> exposed_<dimension>; a kernel on another rank -> bubble, except the part by which that
// kernel exceeds its nominal duration -> straggler_wait; host work -> host; the data loader -> data_loading.
// Invariant: the seconds of one rank class sum to the measured window.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/folding/quotient.hpp"
#include "simulator/timeline/timeline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

enum class Label : std::uint8_t {
  compute,
  recompute,
  optimizer,
  exposed_tensor,
  exposed_context,
  exposed_expert,
  exposed_data,
  exposed_pipeline,
  bubble,
  data_loading,
  offload,
  straggler_wait,
  host,
};
constexpr std::size_t kLabels = 13;

// gpu_time of the result page, in its order.
constexpr std::array<std::string_view, kLabels> kLabelNames = {
    "compute",      "recompute",        "optimizer", "exposed_tensor", "exposed_context", "exposed_expert",
    "exposed_data", "exposed_pipeline", "bubble",    "data_loading",   "offload",         "straggler_wait",
    "host"};
constexpr std::string_view name_of(Label label) { return kLabelNames[static_cast<std::size_t>(label)]; }

using TimeSplit = std::array<double, kLabels>;  // seconds, or shares of 1

struct LinkClassLoad {
  double mean_bytes_per_s = 0.0;
  double peak_bytes_per_s = 0.0;
  double saturated_share = 0.0;  // of the measured time
};

struct Accounting {
  std::vector<TimeSplit> by_rank_class;  // shares of the measured window
  std::vector<double> utilization;       // by rank class: share with any kernel resident, communication included
  std::vector<LinkClassLoad> links;      // by link class
  // Exposed seconds per GPU-second, by the kind of the fullest link on the transfer's way: LinkKind as index.
  std::array<double, kLinkKinds> exposed_by_link{};
};

// What accounting reads: a play's input and what it left.
struct PlayedSteps {
  const Program& program;
  const std::vector<double>& work_s;  // nominal
  const Quotient& quotient;
  const Timeline& timeline;
};

Accounting account(const PlayedSteps& played);

// Mean over rank classes, weighted by population; `stage` restricts it to one program (kNone: all).
TimeSplit mean_split(const PlayedSteps& played, const Accounting& accounting, std::uint32_t stage = kNone);
double mean_utilization(const PlayedSteps& played, const Accounting& accounting);

// 1 - compute - recompute - optimizer.
double idle_fraction(const TimeSplit& shares);

}  // namespace trainsim
