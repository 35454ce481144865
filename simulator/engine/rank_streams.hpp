// Where every rank class stands in its program: one position per stream, no state per op. Counts are cumulative over
// steps, so a stream may run ahead into the next step as far as its waits allow.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/folding/quotient.hpp"
#include "workloads/program.hpp"

namespace trainsim {

class RankStreams {
 public:
  RankStreams(const Program& program, const Quotient& quotient);

  // The op at the head of an idle stream, if its waits hold; nullptr otherwise.
  [[nodiscard]] const Op* ready_op(std::uint32_t rank, Stream stream) const;
  // Whether the host has launched an op at the head of a stream, is at the op in which it does, or is not there yet.
  enum class Launch : std::uint8_t { done, under_way, ahead };
  [[nodiscard]] Launch launch_of(std::uint32_t rank, Stream stream, const Op& op) const;
  void begin(std::uint32_t rank, Stream stream);
  // Returns whether the rank has thereby completed a step on all its streams.
  bool finish(std::uint32_t rank, Stream stream);
  void receive_message(std::uint32_t rank, Group from);

  // Step to which the stream's head belongs.
  [[nodiscard]] std::uint32_t step_of(std::uint32_t rank, Stream stream) const;
  // For a deadlock message: each stream that waits, with what it waits for.
  [[nodiscard]] std::vector<std::string> waiting(std::uint32_t rank) const;

 private:
  struct StreamState {
    std::uint64_t done = 0;  // ops finished since the start
    bool is_running = false;
  };
  struct RankState {
    std::array<StreamState, kStreams> streams;
    std::array<std::uint64_t, kGroups> received{};  // messages, by the group that delivered them
    std::array<std::uint64_t, kGroups> messages_per_step{};
    std::uint32_t steps_done = 0;
    std::uint32_t program = 0;
  };

  [[nodiscard]] const std::vector<Op>& ops(const RankState& rank, std::size_t stream) const {
    return program_.stages[rank.program].ops[stream];
  }
  [[nodiscard]] bool holds(const RankState& rank, const Wait& wait, std::uint64_t step) const;
  [[nodiscard]] std::uint32_t completed_steps(const RankState& rank) const;

  const Program& program_;
  std::vector<RankState> ranks_;
};

}  // namespace trainsim
