// Other tenants, as timed events beside the job: repeated collectives, and shares of a tier that come and go.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "simulator/engine/clock.hpp"
#include "simulator/engine/link_meter.hpp"
#include "simulator/engine/play.hpp"
#include "simulator/engine/routes.hpp"
#include "simulator/engine/transfer_player.hpp"

namespace trainsim {

class Tenants {
 public:
  static constexpr std::uint32_t kTrafficStarts = 200;
  static constexpr std::uint32_t kShareTurns = 201;

  Tenants(const Play& play, const Routes& routes, Clock& clock, LinkMeter& meter, TransferPlayer& transfers);

  void start();
  void on_event(Clock::Event event);
  // Whether the communicator class is a tenant's; then its transfer's end belongs here.
  [[nodiscard]] bool owns(std::uint32_t communicator) const;
  void on_transfer_end(std::uint32_t communicator);
  // No further events: the job has been measured.
  void stop() { is_stopped_ = true; }

  // What permanent shares leave of each link class's capacity, and on which links a share comes and goes.
  static std::vector<double> steady_capacities(const Play& play);
  static std::vector<bool> varying_links(const Play& play);

 private:
  struct Turns {
    bool is_busy = false;
    std::mt19937_64 random;
  };

  void start_traffic(std::uint32_t loop);
  void turn(std::uint32_t share);
  void schedule_turn(std::uint32_t share);
  void apply_shares();

  const Play& play_;
  const Routes& routes_;
  Clock& clock_;
  LinkMeter& meter_;
  TransferPlayer& transfers_;
  std::vector<double> last_start_s_;  // by traffic loop
  std::vector<Turns> turns_;          // by share loop
  bool is_stopped_ = false;
};

}  // namespace trainsim
