// What disturbs a run, as data: other tenants, slow GPUs, degraded links. Everything random is drawn from the seed
// before ranks are coloured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainsim {

enum class PlacementKind : std::uint8_t { packed, scattered, file };

// Another job on the same fabric whose ranks repeat one collective.
struct TrafficTenant {
  std::string name;
  std::int64_t nodes = 0;
  PlacementKind placement = PlacementKind::packed;
  std::string kind = "all-reduce";  // collective
  double bytes = 0.0;               // per GPU
  double every_s = 0.0;             // start to start; a late one starts when its predecessor ends
  double from_s = 0.0;
  std::optional<double> to_s;
};

// A fixed share of every link of a fabric tier, in both directions; always, or exponentially busy and quiet.
struct ShareTenant {
  std::string name;
  double share = 0.0;
  std::string tier;
  std::optional<double> busy_s;  // means
  std::optional<double> quiet_s;
};

struct Straggler {
  std::optional<std::int64_t> gpu;  // rank number's GPU
  std::optional<double> fraction;   // of all GPUs of the job, chosen by the seed
  double speed = 1.0;
};

struct DegradedLink {
  std::string match;  // glob over Topology::name(LinkId)
  double bandwidth_factor = 1.0;
};

struct Conditions {
  std::vector<TrafficTenant> traffic;
  std::vector<ShareTenant> shares;
  std::vector<Straggler> stragglers;
  std::vector<DegradedLink> links;
  double message_delay_s = 0.0;  // of every point-to-point message between nodes, beside what its links need
  // In place of the software stack's (jitter.hpp); no kernel jitter at all leaves no spread either, unless that is
  // given.
  std::optional<double> kernel_jitter;
  std::optional<double> chip_spread;

  // Whether something comes and goes; a permanent share does not.
  [[nodiscard]] bool are_timed() const { return slowest_s() > 0.0; }
  // The longest time from start to start of what comes and goes, s; 0 when nothing does.
  [[nodiscard]] double slowest_s() const {
    double slowest = 0.0;
    for (const TrafficTenant& tenant : traffic) slowest = std::max(slowest, tenant.every_s);
    for (const ShareTenant& tenant : shares)
      slowest = std::max(slowest, tenant.busy_s.value_or(0) + tenant.quiet_s.value_or(0));
    return slowest;
  }
};

}  // namespace trainsim
