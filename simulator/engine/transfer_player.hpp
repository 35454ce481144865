// Plays Transfers of communicator classes: phase after phase, part beside part, each part late by its latency, then a
// timer (when its links are its own) or a flow on the shared links.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simulator/engine/clock.hpp"
#include "simulator/engine/link_meter.hpp"
#include "simulator/engine/routes.hpp"
#include "simulator/folding/quotient.hpp"

namespace trainsim {

class TransferPlayer {
 public:
  // Event kinds that the player asks the clock for; the owner of the sink passes them to on_event().
  static constexpr std::uint32_t kPartBegins = 100;
  static constexpr std::uint32_t kPartEnds = 101;

  // `on_end(communicator class)` is called when a transfer has ended.
  TransferPlayer(const Quotient& quotient, const Routes& routes, Clock& clock, LinkMeter& meter,
                 std::function<void(std::uint32_t)> on_end);

  // REQUIRES: no transfer of this class is in flight.
  void start(std::uint32_t communicator, const Network::Use& use);
  void on_event(Clock::Event event);
  // Tells the meter what the shared links carried in the last `elapsed_s`; called after every step of time.
  void meter_shared(double elapsed_s);
  // Tells the meter what the private links have carried until now (a step has ended).
  void meter_private();

 private:
  struct Flight {
    const Quotient::Shape* shape = nullptr;
    double payload_bytes = 0.0;
    std::uint32_t phase = 0;
    std::uint32_t parts_left = 0;
  };
  struct RunningPart {
    std::uint32_t communicator = 0;
    double bytes = 0.0;            // of one connection
    double metered_from_s = 0.0;   // private: from when the meter does not know yet
    double remaining_bytes = 0.0;  // shared: when the meter last looked
    std::uint32_t place = kNone;   // in the list of running parts
  };

  void start_phase(std::uint32_t communicator);
  void begin_part(std::uint32_t part);
  void end_part(std::uint32_t part);
  void meter_private_part(std::uint32_t part);
  void list(std::vector<std::uint32_t>& running, std::uint32_t part);
  void unlist(std::vector<std::uint32_t>& running, std::uint32_t part);

  const Quotient& quotient_;
  const Routes& routes_;
  Clock& clock_;
  LinkMeter& meter_;
  std::function<void(std::uint32_t)> on_end_;
  std::vector<Flight> flights_;     // by communicator class
  std::vector<RunningPart> parts_;  // by part class
  std::vector<std::uint32_t> running_private_, running_shared_;
};

}  // namespace trainsim
