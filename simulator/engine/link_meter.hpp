// Integrates how loaded each link class is, step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/timeline/timeline.hpp"

namespace trainsim {

class LinkMeter {
 public:
  explicit LinkMeter(std::vector<double> capacities_bytes_per_s);

  // A load of `bytes_per_s` for `duration_s` by the only part that crosses the link.
  void add_private(std::uint32_t link, double bytes_per_s, double duration_s);
  // One part's share of the instants since the last settle(); the loads of all parts add up.
  void add_shared(std::uint32_t link, double bytes_per_s);
  // Closes an interval of `elapsed_s`, ending at `now_s`, in which the shared loads held. An interval so short that the
  // clock hardly resolves it adds its bytes but says nothing of rates.
  void settle(double elapsed_s, double now_s);
  void set_capacity(std::uint32_t link, double bytes_per_s) { capacities_[link] = bytes_per_s; }
  // Hands over what was measured since the last call.
  std::vector<LinkLoad> take_step();

 private:
  void account(std::uint32_t link, double bytes_per_s, double duration_s);

  std::vector<double> full_bytes_per_s_;
  std::vector<double> capacities_;  // what tenants' shares leave
  std::vector<double> shared_bytes_per_s_;
  std::vector<std::uint32_t> touched_;
  std::vector<LinkLoad> step_;
};

}  // namespace trainsim
