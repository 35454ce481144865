// The network up to symmetry: one class for all ranks, communicators, parts and links that have the same history. A
// class of links keeps the capacity of one link; a class of parts crosses it with n summed over all its parts on one
// such link.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/folding/network.hpp"

namespace trainsim {

struct Quotient {
  struct RankClass {
    std::uint32_t program = 0;
    double slowdown = 1.0;
    std::uint32_t population = 1;
    std::uint32_t representative = 0;  // rank index, the lowest of the class
    Slots slots = no_slots();          // communicator classes
  };

  struct ClassUse {
    std::uint32_t link = 0;  // link class
    std::uint64_t n = 1;     // connections of all parts of the class that cross one link of that class
  };

  struct PartClass {
    double latency_s = 0.0;
    double bytes = 0.0;  // of one connection, for a payload of one byte
    std::vector<ClassUse> uses;
  };

  struct Shape {
    std::vector<std::vector<std::uint32_t>> phases;  // part classes that run side by side
  };

  struct CommunicatorClass {
    std::uint32_t kind = 0;
    std::vector<std::uint32_t> members;  // rank classes, each once; sender then receiver for a send
    std::vector<Shape> shapes;
    std::vector<Network::Use> uses;
    std::uint32_t population = 1;
    std::uint32_t representative = 0;
  };

  struct LinkClass {
    Network::NetworkLink link;
    std::uint32_t population = 1;
    std::uint32_t representative = 0;
    // Whether one rank takes part, on one stream, in everything that crosses the link: then no two transfers meet on
    // it.
    bool is_sequential = false;
  };

  std::vector<RankClass> ranks;
  std::vector<CommunicatorClass> communicators;
  std::vector<PartClass> parts;
  std::vector<LinkClass> links;  // only links that some part crosses
};

// The coarsest equitable partition. Conditions under which every member of a class has the same history
// (docs/models.md, folding): nothing is granted by order of arrival, nothing random is drawn after this call, all
// events of one instant are taken together before rates are solved.
Quotient fold(const Network& network);

// Every rank, communicator, part and used link a class of its own: what `--no-fold` plays.
Quotient unfolded(const Network& network);

}  // namespace trainsim
