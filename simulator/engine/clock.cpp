#include "simulator/engine/clock.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

namespace trainsim {
namespace {

namespace sg = simgrid::s4u;

// SimGrid's payloads are whole bytes in 64 bits: the largest power of two up to 2^20 that leaves room for them.
double byte_scale(double largest_flow_bytes) {
  double scale = 0x1p20;
  while (largest_flow_bytes * scale > 0x1p62 && scale > 1.0) scale /= 2.0;
  return scale;
}

void configure(sg::Engine& engine) {
  static constexpr std::array<const char*, 8> settings = {
      "network/model:CM02",         "network/crosstraffic:0", "network/TCP-gamma:0",  "network/latency-factor:1",
      "network/bandwidth-factor:1", "network/weight-S:0",     "surf/precision:1e-12", "maxmin/precision:1e-12"};
  for (const char* setting : settings) engine.set_config(setting);
}

bool& engine_exists() {
  static bool exists = false;
  return exists;
}

}  // namespace

struct Clock::State {
  std::unique_ptr<sg::Engine> engine;
  sg::NetZone* zone = nullptr;
  double scale = 1.0;
  std::vector<sg::Link*> links;
  std::vector<double> first_capacities, capacities;  // of the links, scaled: at the start, and now
  std::vector<FlowRoute> routes;
  struct Ends {
    sg::Host* from = nullptr;
    sg::Host* to = nullptr;
  };
  std::vector<Ends> ends;              // by route
  std::vector<sg::CommPtr> in_flight;  // by route
  std::vector<Event> events;           // by route: what its flow's end means
  const Sink* sink = nullptr;

  void create_links(const std::vector<double>& unscaled) {
    for (std::size_t l = 0; l < unscaled.size(); ++l) {
      first_capacities.push_back(unscaled[l] * scale);
      links.push_back(zone->create_link("l" + std::to_string(l), unscaled[l] * scale)->set_latency(0.0)->seal());
    }
  }

  // SimGrid bounds a flow for good by the least bandwidth on its route at its start. A capacity that is low only now
  // must not bound it later: `start` runs while every link has the capacity it had at first.
  template <class Start>
  void with_first_capacities(std::uint32_t route, const Start& start) {
    const auto changed = [this](const RouteHop& hop) { return capacities[hop.link] < first_capacities[hop.link]; };
    for (const RouteHop& hop : routes[route]) {
      if (changed(hop)) links[hop.link]->set_bandwidth(first_capacities[hop.link]);
    }
    start();
    for (const RouteHop& hop : routes[route]) {
      if (changed(hop)) links[hop.link]->set_bandwidth(capacities[hop.link]);
    }
  }

  void create_route(std::size_t index, const FlowRoute& route) {
    const std::string name = std::to_string(index);
    ends.push_back({zone->create_host("s" + name, 1e9), zone->create_host("d" + name, 1e9)});
    std::vector<sg::LinkInRoute> hops;
    for (const RouteHop& hop : route) hops.insert(hops.end(), hop.n, sg::LinkInRoute(links[hop.link]));
    if (hops.empty()) return;
    zone->add_bypass_route(ends.back().from->get_netpoint(), ends.back().to->get_netpoint(), nullptr, nullptr, hops);
  }

  // SimGrid complains on standard error of an activity that is destroyed in flight. The process is about to end, so
  // these are left to it.
  void abandon_flows() {
    for (sg::CommPtr& flow : in_flight) static_cast<void>(flow.detach());
  }

  void deliver_end_of(const sg::Activity& activity) {
    const auto route = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(activity.get_data<void>()) - 1);
    assert(route < in_flight.size() && in_flight[route].get() == &activity);
    const sg::CommPtr keep_alive = std::move(in_flight[route]);
    in_flight[route] = nullptr;
    (*sink)(events[route]);
  }
};

Clock::Clock(const std::vector<double>& capacities_bytes_per_s, const std::vector<FlowRoute>& routes,
             double largest_flow_bytes)
    : state_(std::make_unique<State>()) {
  if (engine_exists()) throw std::logic_error("one simulation per process: a Clock was made before");
  engine_exists() = true;
  static std::array<std::string, 2> words = {"trainsim", "--log=root.thres:error"};
  static std::array<char*, 3> arguments = {words[0].data(), words[1].data(), nullptr};
  int count = 2;
  state_->engine = std::make_unique<sg::Engine>(&count, arguments.data());
  configure(*state_->engine);
  state_->scale = byte_scale(largest_flow_bytes);
  state_->zone = sg::create_empty_zone("machine");
  state_->create_links(capacities_bytes_per_s);
  for (std::size_t r = 0; r < routes.size(); ++r) state_->create_route(r, routes[r]);
  state_->zone->seal();
  state_->capacities = state_->first_capacities;
  state_->routes = routes;
  state_->in_flight.resize(routes.size());
  state_->events.resize(routes.size());
}

Clock::~Clock() = default;

double Clock::now_s() const { return sg::Engine::get_clock(); }

void Clock::at(double time_s, Event event) {
  simgrid::kernel::timer::Timer::set(std::max(time_s, now_s()), [this, event]() { (*state_->sink)(event); });
}

void Clock::start_flow(std::uint32_t route, double bytes, Event event) {
  assert(state_->in_flight[route] == nullptr);
  const auto payload = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(bytes * state_->scale)));
  sg::CommPtr comm = sg::Comm::sendto_init();
  comm->set_payload_size(payload)->set_data(reinterpret_cast<void*>(std::uintptr_t{route} + 1));
  state_->in_flight[route] = comm;
  state_->events[route] = event;
  state_->with_first_capacities(route, [&] {
    comm->set_source(state_->ends[route].from);
    comm->set_destination(state_->ends[route].to);  // with both ends known SimGrid starts it
  });
}

double Clock::remaining_bytes(std::uint32_t route) const {
  const sg::CommPtr& comm = state_->in_flight[route];
  return comm == nullptr ? 0.0 : comm->get_remaining() / state_->scale;
}

void Clock::set_capacity(std::uint32_t link, double bytes_per_s) {
  state_->capacities[link] = bytes_per_s * state_->scale;
  state_->links[link]->set_bandwidth(state_->capacities[link]);
}

void Clock::run(const Sink& sink, const std::function<void(double)>& on_advance) {
  state_->sink = &sink;
  sg::Engine::on_time_advance_cb(on_advance);
  sg::Activity::on_completion_cb([this](const sg::Activity& activity) { state_->deliver_end_of(activity); });
  try {
    state_->engine->run();
  } catch (...) {
    state_->abandon_flows();
    throw;
  }
}

}  // namespace trainsim
