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
  std::uint32_t actor = 0;      // rank class of a work, communicator class of a transfer
  std::uint32_t what = 0;       // index into Program::works or Program::collectives
  std::uint32_t step = 0;
  std::int32_t micro_batch = -1;
  std::uint16_t chunk = 0;
  bool is_transfer = false;
  // The span whose end released this one last (the last satisfied of its waits, or the op before it on its stream);
  // kNone at the start of the play.
  std::uint32_t released_by = kNone;
};

// How a link class was loaded while the play was measured.
struct LinkLoad {
  double busy_byte_s = 0.0;     // integral of the load, bytes (of one link of the class)
  double peak_bytes_per_s = 0.0;
  double saturated_s = 0.0;     // time at full capacity
};

struct Timeline {
  std::vector<Span> spans;                            // in order of their end
  std::vector<std::vector<std::uint32_t>> compute;    // by rank class: its works, in order
  std::vector<double> step_ends_s;                    // by step: when the last rank completed it
  std::vector<LinkLoad> links;                        // by link class, over the measured steps
  std::uint32_t first_measured_step = 1;              // steps before it are warm-up
  std::uint64_t activities = 0;                       // works and transfers played
};

}  // namespace trainsim
