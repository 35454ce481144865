// Why a GPU's compute stream stood empty: the chain of spans, each released by the one before, that ends at the op it
// ran next.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/accounting/accounting.hpp"

namespace trainsim {

struct Split {
  TimeSplit labels{};                                // seconds
  std::array<double, kLinkKinds> exposed_by_link{};  // seconds, by the kind of the binding link
};

class WaitChain {
 public:
  explicit WaitChain(const PlayedSteps& played);

  // Charges the instants from `begin_s` to `end_s`, at which an op released by span `released_by` started. A chain that
  // starts with the play (kNone) is charged to host.
  void charge(std::uint32_t released_by, double begin_s, double end_s, Split& split) const;

 private:
  void charge_transfer(const Span& span, double begin_s, double end_s, Split& split) const;
  void charge_kernel(const Span& span, double begin_s, double end_s, Split& split) const;

  const PlayedSteps& played_;
  std::vector<std::uint8_t> binding_link_;  // by communicator class: LinkKind
};

}  // namespace trainsim
