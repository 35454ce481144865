// Plays the first step of a program without hardware: streams run in order, an op takes the time that it is given,
// sends count as messages at their receiver; an op starts once the host op that launches it has ended. Collectives do
// not wait for other ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "workloads/program.hpp"

namespace trainsim::test {

constexpr std::size_t index(Stream stream) { return static_cast<std::size_t>(stream); }

class StepPlayer {
 public:
  using Duration = std::function<double(const Op&)>;

  explicit StepPlayer(
      const Program& program, Duration duration = [](const Op&) { return 1.0; })
      : program_(program), duration_(std::move(duration)), stages_(program.stages.size()) {}

  // Whether every op ran.
  bool play() {
    while (advance()) {
    }
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        if (stages_[s].ends[stream].size() < program_.stages[s].ops[stream].size()) return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t received(std::size_t stage, Group from) const {
    return stages_[stage].messages[direction(from)].size();
  }
  // When an op ended.
  [[nodiscard]] double end(std::size_t stage, Stream stream, std::size_t op) const {
    return stages_[stage].ends[index(stream)].at(op);
  }
  [[nodiscard]] double makespan() const {
    double latest = 0;
    for (const State& state : stages_) {
      for (const std::vector<double>& ends : state.ends) {
        if (!ends.empty()) latest = std::max(latest, ends.back());
      }
    }
    return latest;
  }

 private:
  struct State {
    std::array<std::vector<double>, kStreams> ends;  // of the ops that ran
    std::array<std::vector<double>, 2> messages;     // arrivals, from before and from behind
  };

  static std::size_t direction(Group from) { return from == Group::pipeline_forward ? 0 : 1; }

  bool advance() {
    bool moved = false;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        while (const std::optional<double> start = start_of_next(s, stream)) {
          run(s, stream, *start);
          moved = true;
        }
      }
    }
    return moved;
  }

  // When the stream's next op can start; nothing while it cannot.
  [[nodiscard]] std::optional<double> start_of_next(std::size_t s, std::size_t stream) const {
    const StageProgram& stage = program_.stages[s];
    const std::vector<double>& ends = stages_[s].ends[stream];
    if (ends.size() == stage.ops[stream].size()) return std::nullopt;
    const Op& op = stage.ops[stream][ends.size()];
    double start = ends.empty() ? 0 : ends.back();
    if (op.launched_in > 0) {
      const std::vector<double>& host = stages_[s].ends[index(Stream::host)];
      if (host.size() < op.launched_in) return std::nullopt;
      start = std::max(start, host[op.launched_in - 1]);
    }
    for (std::size_t w = op.first_wait; w < op.first_wait + op.wait_count; ++w) {
      const Wait& wait = stage.waits.at(w);
      if (wait.of_previous_step || wait.count == 0) continue;
      const std::vector<double>& events = wait.kind == Wait::Kind::stream ? stages_[s].ends[index(wait.stream)]
                                                                          : stages_[s].messages[direction(wait.from)];
      if (events.size() < wait.count) return std::nullopt;
      start = std::max(start, events[wait.count - 1]);
    }
    return start;
  }

  void run(std::size_t s, std::size_t stream, double start) {
    const Op& op = program_.stages[s].ops[stream][stages_[s].ends[stream].size()];
    const double end = start + duration_(op);
    stages_[s].ends[stream].push_back(end);
    if (op.kind != Op::Kind::collective) return;
    const Collective& collective = program_.collectives[op.what];
    if (collective.kind != CollectiveKind::send) return;
    const std::size_t count = stages_.size();
    const bool is_forward = collective.group == Group::pipeline_forward;
    const std::size_t receiver = is_forward ? (s + 1) % count : (s + count - 1) % count;
    stages_[receiver].messages[direction(collective.group)].push_back(end);
  }

  const Program& program_;
  Duration duration_;
  std::vector<State> stages_;
};

}  // namespace trainsim::test
