// Links that can never bind: whatever crosses them has already squeezed through neighbours that carry no more in all.
// Without them routes are short, and ranks that differ only in them are equal.
#pragma once

#include "simulator/folding/network.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

// Drops from all parts the links between switches whose load the capacities of the used links behind them (into their
// source) or ahead of them (out of their target) already bound. A link on which a tenant's share acts stays. Max-min
// rates do not change: each dropped constraint follows from those that stay.
void drop_bounded_links(Network& network, const Topology& topology);

}  // namespace trainsim
