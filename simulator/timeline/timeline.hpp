// What a play leaves behind: who did what from when to when. Times are seconds of simulated time from the start of the
// play. Ranks, communicators and links appear as the classes that were played (a class of one without folding).
#pragma once

#include <cstdint>
#include <vector>

namespace trainsim {

constexpr std::uint32_t kNone = 0xffffffffU;

// One op that ran: on a rank class's stream, or a transfer of a communicator class.
struct Span {
  double start_s = 0.0;  // compute: the kernel begins; transfer: its last member has arrived
  double end_s = 0.0;
  std::uint32_t actor = 0;  // rank class of a work, communicator class of a transfer
  std::uint32_t what = 0;   // index into Program::works or Program::collectives
  std::uint32_t step = 0;
  std::int32_t micro_batch = -1;
  std::uint16_t chunk = 0;
  bool is_transfer = false;
  // Work: by which its GPU's slowness prolonged it. Transfer: by which the slowest member's noise delayed it, at first.
  double excess_s = 0.0;
  // The span whose end released this one last (the last satisfied of its waits, or the op before it on its stream);
  // kNone at the start of the play.
  std::uint32_t released_by = kNone;
};

// A rank class holds a communication kernel from its own launch (waiting included) until the transfer ends.
struct Residency {
  std::uint32_t rank = 0;  // rank class
  double start_s = 0.0;
  double end_s = 0.0;
};

// How one link of a class was loaded during one step.
struct LinkLoad {
  double bytes = 0.0;
  double peak_bytes_per_s = 0.0;
  double saturated_s = 0.0;  // time at full capacity
};

// Step k runs from step_ends_s[k - 1] to step_ends_s[k]. The first steps are warm-up; the last one played is left out,
// so that every measured wait knows what ended it.
struct Timeline {
  std::vector<Span> spans;                          // in order of their start
  std::vector<std::vector<std::uint32_t>> compute;  // by rank class: its works, in order
  std::vector<Residency> residencies;
  std::vector<double> step_ends_s;           // when the last rank completed the step
  std::vector<std::vector<LinkLoad>> loads;  // by step, by link class
  std::uint32_t first_measured_step = 1;
  std::uint32_t last_measured_step = 1;
  std::uint64_t activities = 0;  // works and transfers played

  [[nodiscard]] double begin_s() const { return step_ends_s[first_measured_step - 1]; }
  [[nodiscard]] double end_s() const { return step_ends_s[last_measured_step]; }
  [[nodiscard]] std::uint32_t measured_steps() const { return last_measured_step - first_measured_step + 1; }
  [[nodiscard]] double step_s() const { return (end_s() - begin_s()) / measured_steps(); }
};

}  // namespace trainsim
