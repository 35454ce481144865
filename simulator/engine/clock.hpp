// The clock and the shared links, kept by SimGrid; nothing else in trainsim sees SimGrid. Model CM02 with zero-latency
// links, no cross traffic, no TCP window, precision 1e-12: a flow's rate is its max-min share and nothing else. Latency
// is paid by starting a flow later.
//
// A flow runs along a route that may hold a link n times: n connections that move at one pace. Capacities and bytes are
// scaled by a common power of two, because SimGrid counts whole bytes.
//
// One Clock per process (SimGrid keeps one engine, one clock, one configuration).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace trainsim {

struct RouteHop {
  std::uint32_t link = 0;
  std::uint64_t n = 1;  // connections of the flow that cross the link
};
using FlowRoute = std::vector<RouteHop>;

class Clock {
 public:
  // What happens at an instant; its meaning is the caller's.
  struct Event {
    std::uint32_t kind = 0;
    std::uint32_t index = 0;
  };
  using Sink = std::function<void(Event)>;

  // `largest_flow_bytes` sets the scale. Throws std::logic_error on a second Clock in the process.
  Clock(const std::vector<double>& capacities_bytes_per_s, const std::vector<FlowRoute>& routes,
        double largest_flow_bytes);
  ~Clock();
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  [[nodiscard]] double now_s() const;
  // Delivers `event` at `time_s` (not before now).
  void at(double time_s, Event event);
  // Sends `bytes` along route `route`; delivers `event` when they have arrived. At most one flow per route at a time.
  // REQUIRES: the route is not empty and bytes > 0.
  void start_flow(std::uint32_t route, double bytes, Event event);
  // What a flow in flight still has to send.
  [[nodiscard]] double remaining_bytes(std::uint32_t route) const;
  // REQUIRES: no more than the link had at first.
  void set_capacity(std::uint32_t link, double bytes_per_s);

  // Runs until nothing is left to happen. `on_advance` is told of every step of time, after it, before the instant's
  // events.
  void run(const Sink& sink, const std::function<void(double elapsed_s)>& on_advance);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainsim
