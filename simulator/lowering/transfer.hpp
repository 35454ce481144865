// What a collective, a send or a copy asks of the links: phases of parts. Phases follow each other; the parts of a
// phase run side by side and the phase ends with the last. A part is one pipelined group of connections that move at
// one pace: each carries `bytes`, and `n` of them cross a link. The rate x of one connection loads that link with n·x.
//
// Writing a part in other units (two connections of half the bytes, with half the n) changes nothing but the number of
// connections that max-min counts.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/base/ids.hpp"

namespace trainsim {

struct LinkUse {
  LinkId link;
  std::uint32_t n = 1;
  friend bool operator==(const LinkUse&, const LinkUse&) = default;
};

struct Part {
  double latency_s = 0.0;     // start-up: the part begins to load its links that much after its phase begins
  double bytes = 0.0;         // carried by one connection
  std::vector<LinkUse> uses;  // each link once
};

struct Phase {
  std::vector<Part> parts;
};

struct Transfer {
  std::vector<Phase> phases;
};

// The same transfer of another payload: bytes times `payload_factor`, latencies unchanged. Every algorithm is linear in
// bytes, so one lowering serves all sizes (except `auto`, which chooses by size).
Transfer scaled(const Transfer& transfer, double payload_factor);

}  // namespace trainsim
