// A play as a Chrome trace (JSON object format) that opens in Perfetto: times in microseconds of simulated time, the
// measured steps only.
//
//   process "steps"              one slice per measured step
//   process "stage 0 x128" …     one per rank class: a track per stream
//   process "communicators"      one track per transfer class
//   process "links"              one track per link class: its mean and peak load, step by step
//
// Slices of a track never overlap; where two would, the later one moves to another track of the same name.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "scenarios/run/run.hpp"
#include "simulator/timeline/timeline.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct TraceSource {
  const Timeline& timeline;
  const Program& program;
  const TraceNames& names;
};

// Streams the trace to `out`. Throws std::invalid_argument when a span refers to a class or an op that has no entry.
void write_trace(std::ostream& out, const TraceSource& source);

}  // namespace trainsim
