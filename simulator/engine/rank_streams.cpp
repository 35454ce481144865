#include "simulator/engine/rank_streams.hpp"

#include <algorithm>

namespace trainsim {
namespace {

// Sends of a group that a stage's program makes in one step.
std::uint64_t sends_per_step(const Program& program, std::uint32_t stage, Group group) {
  std::uint64_t count = 0;
  for (const auto& ops : program.stages[stage].ops) {
    count += static_cast<std::uint64_t>(std::ranges::count_if(ops, [&](const Op& op) {
      if (op.kind != Op::Kind::collective) return false;
      const Collective& collective = program.collectives[op.what];
      return collective.kind == CollectiveKind::send && collective.group == group;
    }));
  }
  return count;
}

}  // namespace

RankStreams::RankStreams(const Program& program, const Quotient& quotient) : program_(program) {
  std::vector<std::array<std::uint64_t, 2>> sends;
  for (std::uint32_t s = 0; s < program.stages.size(); ++s) {
    sends.push_back(
        {sends_per_step(program, s, Group::pipeline_forward), sends_per_step(program, s, Group::pipeline_backward)});
  }
  for (const auto& rank : quotient.ranks) {
    RankState state;
    state.program = rank.program;
    const auto expect = [&](std::size_t slot, Group from, std::size_t direction) {
      if (rank.slots[slot] == kNone) return;
      const std::uint32_t sender = quotient.communicators[rank.slots[slot]].members.front();
      state.messages_per_step[static_cast<std::size_t>(from)] = sends[quotient.ranks[sender].program][direction];
    };
    expect(kReceivesForward, Group::pipeline_forward, 0);
    expect(kReceivesBackward, Group::pipeline_backward, 1);
    ranks_.push_back(state);
  }
}

const Op* RankStreams::ready_op(std::uint32_t rank, Stream stream) const {
  const RankState& state = ranks_[rank];
  const auto s = static_cast<std::size_t>(stream);
  const auto& queue = ops(state, s);
  if (queue.empty() || state.streams[s].is_running) return nullptr;
  const std::uint64_t step = state.streams[s].done / queue.size();
  const Op& op = queue[state.streams[s].done % queue.size()];
  const auto& waits = program_.stages[state.program].waits;
  for (std::uint32_t w = op.first_wait; w < op.first_wait + op.wait_count; ++w) {
    if (!holds(state, waits[w], step)) return nullptr;
  }
  return &op;
}

bool RankStreams::holds(const RankState& rank, const Wait& wait, std::uint64_t step) const {
  if (wait.of_previous_step) {
    if (step == 0) return true;
    --step;
  }
  if (wait.kind == Wait::Kind::message) {
    const auto from = static_cast<std::size_t>(wait.from);
    return rank.received[from] >= step * rank.messages_per_step[from] + wait.count;
  }
  const auto s = static_cast<std::size_t>(wait.stream);
  return rank.streams[s].done >= step * ops(rank, s).size() + wait.count;
}

RankStreams::Launch RankStreams::launch_of(std::uint32_t rank, Stream stream, const Op& op) const {
  if (op.launched_in == 0) return Launch::done;
  constexpr auto kHost = static_cast<std::size_t>(Stream::host);
  const RankState& state = ranks_[rank];
  const StreamState& host = state.streams[kHost];
  const std::uint64_t needed = step_of(rank, stream) * ops(state, kHost).size() + op.launched_in;
  if (host.done >= needed) return Launch::done;
  return host.done + 1 == needed && host.is_running ? Launch::under_way : Launch::ahead;
}

void RankStreams::begin(std::uint32_t rank, Stream stream) {
  ranks_[rank].streams[static_cast<std::size_t>(stream)].is_running = true;
}

bool RankStreams::finish(std::uint32_t rank, Stream stream) {
  RankState& state = ranks_[rank];
  const auto s = static_cast<std::size_t>(stream);
  state.streams[s].is_running = false;
  if (++state.streams[s].done % ops(state, s).size() != 0) return false;
  const std::uint32_t completed = completed_steps(state);
  if (completed == state.steps_done) return false;
  state.steps_done = completed;
  return true;
}

std::uint32_t RankStreams::completed_steps(const RankState& rank) const {
  std::uint64_t least = UINT64_MAX;
  for (std::size_t s = 0; s < kStreams; ++s) {
    if (!ops(rank, s).empty()) least = std::min(least, rank.streams[s].done / ops(rank, s).size());
  }
  return static_cast<std::uint32_t>(least);
}

void RankStreams::receive_message(std::uint32_t rank, Group from) {
  ++ranks_[rank].received[static_cast<std::size_t>(from)];
}

std::uint32_t RankStreams::step_of(std::uint32_t rank, Stream stream) const {
  const auto s = static_cast<std::size_t>(stream);
  return static_cast<std::uint32_t>(ranks_[rank].streams[s].done / ops(ranks_[rank], s).size());
}

std::vector<std::string> RankStreams::waiting(std::uint32_t rank) const {
  const RankState& state = ranks_[rank];
  std::vector<std::string> lines;
  for (std::size_t s = 0; s < kStreams; ++s) {
    const auto& queue = ops(state, s);
    if (queue.empty()) continue;
    const Op& op = queue[state.streams[s].done % queue.size()];
    const std::string& what =
        op.kind == Op::Kind::work ? program_.works[op.what].name : program_.collectives[op.what].name;
    std::string line =
        "stage " + std::to_string(state.program) + ", stream " + std::string(kStreamNames[s]) + ", '" + what + "' ";
    if (state.streams[s].is_running) {
      lines.push_back(line + "waits for its peers");
      continue;
    }
    if (launch_of(rank, static_cast<Stream>(s), op) != Launch::done) lines.push_back(line + "waits for its launch");
    const auto& waits = program_.stages[state.program].waits;
    for (std::uint32_t w = op.first_wait; w < op.first_wait + op.wait_count; ++w) {
      if (holds(state, waits[w], state.streams[s].done / queue.size())) continue;
      const bool is_message = waits[w].kind == Wait::Kind::message;
      lines.push_back(line + "waits for " + (is_message ? "message " : "op ") + std::to_string(waits[w].count) +
                      (is_message
                           ? " of a neighbour stage"
                           : " of stream " + std::string(kStreamNames[static_cast<std::size_t>(waits[w].stream)])));
    }
  }
  return lines;
}

}  // namespace trainsim
