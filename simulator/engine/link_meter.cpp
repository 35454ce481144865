#include "simulator/engine/link_meter.hpp"

#include <algorithm>
#include <utility>

namespace trainsim {
namespace {
constexpr double kSaturated = 1.0 - 1e-6;  // of capacity: rounding apart, full
constexpr double kResolved = 1e-7;         // of the clock's reading: then a rate is exact to about 1e-9
}  // namespace

LinkMeter::LinkMeter(std::vector<double> capacities_bytes_per_s)
    : full_bytes_per_s_(capacities_bytes_per_s),
      capacities_(std::move(capacities_bytes_per_s)),
      shared_bytes_per_s_(capacities_.size(), 0.0),
      step_(capacities_.size()) {}

void LinkMeter::add_private(std::uint32_t link, double bytes_per_s, double duration_s) {
  account(link, bytes_per_s, duration_s);
}

void LinkMeter::add_shared(std::uint32_t link, double bytes_per_s) {
  if (shared_bytes_per_s_[link] == 0.0) touched_.push_back(link);
  shared_bytes_per_s_[link] += bytes_per_s;
}

void LinkMeter::settle(double elapsed_s, double now_s) {
  const bool is_resolved = elapsed_s > kResolved * now_s;
  for (const std::uint32_t link : touched_) {
    if (is_resolved) {
      account(link, shared_bytes_per_s_[link], elapsed_s);
    } else {
      step_[link].bytes += shared_bytes_per_s_[link] * elapsed_s;
    }
    shared_bytes_per_s_[link] = 0.0;
  }
  touched_.clear();
}

std::vector<LinkLoad> LinkMeter::take_step() { return std::exchange(step_, std::vector<LinkLoad>(capacities_.size())); }

void LinkMeter::account(std::uint32_t link, double bytes_per_s, double duration_s) {
  LinkLoad& load = step_[link];
  load.bytes += bytes_per_s * duration_s;
  const double taken_by_shares = full_bytes_per_s_[link] - capacities_[link];
  load.peak_bytes_per_s = std::max(load.peak_bytes_per_s, bytes_per_s + taken_by_shares);
  if (bytes_per_s >= capacities_[link] * kSaturated) load.saturated_s += duration_s;
}

}  // namespace trainsim
