// The algorithms behind lower(), one file each. REQUIRES: at least two ranks, and a collective the algorithm has.
#pragma once

#include "simulator/lowering/connections.hpp"

namespace trainsim {

Transfer ring_transfer(const Collective& collective, Communicator& communicator);
Transfer all_to_all_transfer(const Collective& collective, Communicator& communicator);
Transfer tree_transfer(const Collective& collective, Communicator& communicator);
Transfer hierarchical_transfer(const Collective& collective, Communicator& communicator);
Transfer send_transfer(const Collective& collective, Communicator& communicator);

}  // namespace trainsim
