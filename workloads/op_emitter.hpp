// Appends ops to the streams of one stage, in the order in which the host launches them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "workloads/program.hpp"

namespace trainsim {

// `count` of a Wait for a whole step of a stream whose length is not known yet; resolved by OpEmitter::take.
constexpr std::uint32_t kWholeStep = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t kMostWaits = 16;

// The few waits of one op, without allocation.
class Dependencies {
 public:
  Dependencies() = default;
  Dependencies(std::initializer_list<Wait> waits) {
    for (const Wait& wait : waits) add(wait);
  }
  // Throws std::length_error beyond kMostWaits.
  void add(const Wait& wait) {
    if (size_ == waits_.size()) throw std::length_error("Dependencies: too many waits of one op");
    waits_[size_++] = wait;
  }
  [[nodiscard]] std::span<const Wait> waits() const { return {waits_.data(), size_}; }

 private:
  std::array<Wait, kMostWaits> waits_{};
  std::size_t size_ = 0;
};

class OpEmitter {
 public:
  // Seconds that the host takes to launch an op.
  using LaunchTime = std::function<double(const Op&)>;

  explicit OpEmitter(LaunchTime launch_time = nullptr) : launch_time_(std::move(launch_time)) {}

  // Begins an op of the host: what is appended until end_launches is launched in it, in that order, after `first_s` of
  // other work.
  void begin_launches(const Dependencies& dependencies, double first_s = 0.0);
  // What it has taken so far.
  [[nodiscard]] double launched_s() const { return launched_s_; }
  void end_launches(std::uint32_t what);

  // What the next ops belong to; micro_batch -1: the step as a whole.
  void label(std::int32_t chunk, std::int32_t micro_batch);

  // Each appends one op and returns what its end means to others. Waits that the order of the streams already implies
  // are left out.
  Wait work(std::uint32_t what, const Dependencies& dependencies);
  Wait collective(Stream stream, std::uint32_t what, const Dependencies& dependencies);

  // The end of everything appended to the stream so far; holds at once when nothing was.
  [[nodiscard]] Wait finished(Stream stream) const;
  // The end of everything that the stream did in the step before.
  [[nodiscard]] static Wait previous_step(Stream stream) {
    return {Wait::Kind::stream, stream, Group::pipeline_forward, true, kWholeStep};
  }

  // The finished program; the emitter is empty afterwards.
  StageProgram take();

 private:
  Wait append(Stream stream, Op op, const Dependencies& dependencies);
  void add_launch(Op& op);
  bool is_implied(Stream stream, const Wait& wait);

  LaunchTime launch_time_;
  StageProgram program_;
  bool is_launching_ = false;
  double launched_s_ = 0.0;
  // What each stream has waited for already: counts of the other streams, messages from before and from behind.
  std::array<std::array<std::uint32_t, kStreams>, kStreams> seen_{};
  std::array<std::array<std::uint32_t, 2>, kStreams> messages_seen_{};
  std::uint16_t chunk_ = 0;
  std::int32_t micro_batch_ = -1;
};

}  // namespace trainsim
