// From a quotient to what the Clock needs: which parts own their links (their time is a closed form), and short routes
// over the links that are really shared.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/engine/clock.hpp"
#include "simulator/folding/quotient.hpp"

namespace trainsim {

struct PartRoute {
  bool is_private = false;           // nothing else ever crosses its links: bytes x private_s_per_byte, no flow
  double private_s_per_byte = 0.0;   // of one connection: max over its links of n / capacity
  std::uint32_t flow_route = kNone;  // of the Clock, when shared
};

struct Routes {
  std::vector<PartRoute> parts;             // by part class
  std::vector<FlowRoute> flow_routes;       // links renumbered to `shared_links`, n and capacity over their gcd
  std::vector<std::uint32_t> shared_links;  // link class of each Clock link
  std::vector<double> shared_capacities_bytes_per_s;
  std::vector<double> divisors;  // what the n's and the capacity of each Clock link were divided by
};

// `capacities`: of one link of each class, permanent shares already taken off. Links on which a share comes and goes
// (`is_varying`) are shared even when one part alone crosses them.
Routes plan_routes(const Quotient& quotient, const std::vector<double>& capacities_bytes_per_s,
                   const std::vector<bool>& is_varying);

}  // namespace trainsim
