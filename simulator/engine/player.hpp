// One play: drives rank streams, transfers and tenants on the clock and records the Timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/engine/clock.hpp"
#include "simulator/engine/link_meter.hpp"
#include "simulator/engine/play.hpp"
#include "simulator/engine/rank_streams.hpp"
#include "simulator/engine/routes.hpp"
#include "simulator/engine/tenants.hpp"
#include "simulator/engine/transfer_player.hpp"

namespace trainsim {

class Player {
 public:
  explicit Player(const Play& play);
  Timeline run();

 private:
  static constexpr std::uint32_t kWorkEnds = 1;

  // A collective or send of a communicator class: who has arrived, and the span once it is in flight.
  struct Gathering {
    std::vector<double> arrivals_s;  // of the members so far
    std::vector<std::uint32_t> arrived;
    std::uint32_t span = kNone;
    Stream stream = Stream::tensor_comm;  // the one stream that runs all collectives of the communicator
  };

  void on_event(Clock::Event event);
  // Starts whatever the rank's idle streams can start, because `trigger` has ended.
  void advance(std::uint32_t rank, std::uint32_t trigger);
  void start_work(std::uint32_t rank, const Op& op, std::uint32_t trigger);
  void end_work(std::uint32_t rank);
  void arrive(std::uint32_t rank, Stream stream, const Op& op, std::uint32_t trigger);
  void end_transfer(std::uint32_t communicator);
  void end_stream_op(std::uint32_t rank, Stream stream);
  void end_step();
  std::uint32_t open_span(const Op& op, std::uint32_t actor, std::uint32_t trigger, std::uint32_t step);
  [[noreturn]] void report_deadlock() const;

  const Play& play_;
  Routes routes_;
  Clock clock_;
  LinkMeter meter_;
  RankStreams streams_;
  TransferPlayer transfers_;
  Tenants tenants_;
  Timeline timeline_;
  std::vector<Gathering> gatherings_;                          // by communicator class
  std::vector<std::vector<std::uint32_t>> use_of_collective_;  // by communicator class: collective -> use
  std::vector<std::uint32_t> running_work_;                    // by rank class: span, kNone when idle
  std::vector<std::uint32_t> ranks_done_;                      // by step: rank classes that have completed it
  std::uint64_t tenant_events_ = 0;  // transfers and turns of tenants, which no activity counts
  bool is_measured_ = false;         // enough steps: start nothing more
};

}  // namespace trainsim
