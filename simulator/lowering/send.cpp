// A message from the first member to the second: one connection.
#include <algorithm>
#include <stdexcept>

#include "simulator/lowering/algorithms.hpp"

namespace trainsim {

Transfer send_transfer(const Collective& collective, Communicator& communicator) {
  if (communicator.size() != 2) throw std::invalid_argument("a send has one sender and one receiver");
  const Connection connection{0, 1};
  StepLatency slowest;
  Part part = communicator.part({&connection, 1}, collective.bytes, slowest);
  part.latency_s = communicator.context().catalog.base_latency_s + std::max(slowest.intra_s, slowest.inter_s);
  Phase phase;
  phase.parts.push_back(std::move(part));
  return {{std::move(phase)}};
}

}  // namespace trainsim
