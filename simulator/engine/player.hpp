// One play: drives rank streams, transfers and tenants on the clock and records the Timeline.
#pragma once

#include <array>
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
  static constexpr std::uint32_t kHostEnds = 2;
  static constexpr std::uint32_t kIsLaunched = 3;
  static constexpr std::uint32_t kSlowestArrives = 4;

  // Kernels that a rank has run.
  struct Computed {
    double s = 0.0;
    double square_s2 = 0.0;
  };

  // What one rank class is doing.
  struct RankState {
    std::uint32_t running_work = kNone;  // span; kNone when idle
    double work_left_s = 0.0;            // of it, undisturbed, when last looked at
    double looked_at_s = 0.0;
    double work_ends_s = 0.0;  // if nothing changes
    std::uint32_t resident_collectives = 0;
    std::array<Computed, kGroups> computed{};    // since the group last synchronised
    std::uint32_t running_host = kNone;          // span
    std::array<double, kStreams> launch_at_s{};  // by stream: when the op at its head is launched, once that is known
  };

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
  [[nodiscard]] bool is_now(double time_s) const;
  // Whether the host has launched the op; if it will within its running op, an event tells when.
  bool is_launched(std::uint32_t rank, Stream stream, const Op& op);
  void start_work(std::uint32_t rank, const Op& op, std::uint32_t trigger);
  // At the instant for which it was expected last: an earlier expectation may have been put off.
  void end_work_if_due(std::uint32_t rank);
  void expect_work_end(std::uint32_t rank);
  [[nodiscard]] double work_rate(const RankState& rank) const;
  // A collective has come to the rank's GPU (+1) or left it (-1).
  void add_resident(std::uint32_t rank, int change);
  // Seconds for which the members' noise makes the transfer wait; it is taken off their account.
  double take_noise_s(const std::vector<std::uint32_t>& members, Group group);
  void start_transfer(std::uint32_t communicator);
  void start_host(std::uint32_t rank, const Op& op, std::uint32_t trigger);
  void end_host(std::uint32_t rank);
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
  std::vector<RankState> ranks_;                               // by rank class
  std::vector<std::uint32_t> ranks_done_;                      // by step: rank classes that have completed it
  std::uint64_t tenant_events_ = 0;  // transfers and turns of tenants, which no activity counts
  bool is_measured_ = false;         // enough steps: start nothing more
};

}  // namespace trainsim
