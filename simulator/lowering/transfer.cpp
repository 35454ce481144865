#include "simulator/lowering/transfer.hpp"

namespace trainsim {

Transfer scaled(const Transfer& transfer, double payload_factor) {
  Transfer result = transfer;
  for (Phase& phase : result.phases) {
    for (Part& part : phase.parts) part.bytes *= payload_factor;
  }
  return result;
}

}  // namespace trainsim
