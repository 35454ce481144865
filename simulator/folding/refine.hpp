// Colour refinement of ranks, communicators, parts and links to the coarsest equitable partition. Exact: signatures are
// compared as tuples; a hash only finds the candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/folding/network.hpp"

namespace trainsim {

// One colour per object, dense from 0, numbered by first appearance.
struct Colours {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};

// Parts of all communicators in one row: shape by shape, phase by phase.
struct PartList {
  struct Entry {
    std::uint32_t communicator = 0;
    std::uint16_t shape = 0;
    std::uint16_t phase = 0;
    const Part* part = nullptr;
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> first_of_communicator;  // one more entry than communicators
};

PartList list_parts(const Network& network);

struct Partition {
  Colours ranks, communicators, parts, links;  // links without load keep kNone
};

// `max_rounds` cuts the refinement short; only tests do that, to see that a wrong partition is caught.
Partition refine(const Network& network, const PartList& parts, int max_rounds = 1 << 20);

// Every object its own colour.
Partition discrete(const Network& network, const PartList& parts);

// Whether all links of a class carry the same parts with the same n, all members of a communicator class look alike,
// and so on: one more round must split nothing.
bool is_equitable(const Network& network, const PartList& parts, const Partition& partition);

}  // namespace trainsim
