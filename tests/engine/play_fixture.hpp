// Small plays by hand: ranks with one program each, communicators over links of a given capacity.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulator/engine/play.hpp"
#include "simulator/folding/network.hpp"
#include "simulator/folding/quotient.hpp"
#include "workloads/build_program.hpp"

namespace trainsim {

// A program under construction: stages of ops, each op waiting as told.
class ProgramSketch {
 public:
  explicit ProgramSketch(std::size_t stages) { program_.stages.resize(stages); }

  std::uint32_t work(std::string name, Activity activity = Activity::forward) {
    program_.works.push_back({std::move(name), activity, {}});
    return static_cast<std::uint32_t>(program_.works.size() - 1);
  }
  std::uint32_t collective(CollectiveKind kind, Group group, double bytes) {
    program_.collectives.push_back({"collective " + std::to_string(program_.collectives.size()), kind, group, bytes});
    return static_cast<std::uint32_t>(program_.collectives.size() - 1);
  }
  // Appends an op to a stage's stream.
  void run(std::size_t stage, std::uint32_t work, const std::vector<Wait>& waits = {}) {
    append(stage, Stream::compute, Op::Kind::work, work, waits);
  }
  void communicate(std::size_t stage, Stream stream, std::uint32_t collective, const std::vector<Wait>& waits = {}) {
    append(stage, stream, Op::Kind::collective, collective, waits);
  }
  // Appends an op of the host, and kernels that it launches so long after it has started.
  void launch(std::size_t stage, std::uint32_t host, const std::vector<double>& launch_s, std::uint32_t kernel) {
    append(stage, Stream::host, Op::Kind::work, host, {});
    const auto number =
        static_cast<std::uint32_t>(program_.stages[stage].ops[static_cast<std::size_t>(Stream::host)].size());
    for (const double after_s : launch_s) {
      run(stage, kernel);
      Op& op = program_.stages[stage].ops[static_cast<std::size_t>(Stream::compute)].back();
      op.launched_in = number;
      op.launch_s = after_s;
    }
  }
  [[nodiscard]] Program program() const { return program_; }

 private:
  void append(std::size_t stage, Stream stream, Op::Kind kind, std::uint32_t what, const std::vector<Wait>& waits) {
    StageProgram& target = program_.stages[stage];
    Op op;
    op.kind = kind;
    op.what = what;
    op.first_wait = static_cast<std::uint32_t>(target.waits.size());
    op.wait_count = static_cast<std::uint16_t>(waits.size());
    target.waits.insert(target.waits.end(), waits.begin(), waits.end());
    target.ops[static_cast<std::size_t>(stream)].push_back(op);
  }

  Program program_;
};

inline Wait after(Stream stream, std::uint32_t count, bool of_previous_step = false) {
  return {Wait::Kind::stream, stream, Group::pipeline_forward, of_previous_step, count};
}
inline Wait message(Group from, std::uint32_t count) {
  return {Wait::Kind::message, Stream::compute, from, false, count};
}

inline Network::NetworkLink link_of(double bytes_per_s) {
  Network::NetworkLink link;
  link.capacity_bytes_per_s = bytes_per_s;
  link.kind = LinkKind::nic;
  return link;
}

// One phase of one part: `bytes` per byte of payload over the links given, each crossed once.
inline Transfer over(const std::vector<std::size_t>& links, double latency_s = 0.0, double bytes = 1.0) {
  Part part{latency_s, bytes, {}};
  for (const std::size_t link : links) part.uses.push_back({LinkId(link), 1});
  return {{{{part}}}};
}

// A communicator of `ranks` in which every collective of the group takes the same shape.
inline void join(Network& network, const Program& program, Group group, const std::vector<std::uint32_t>& ranks,
                 Transfer shape) {
  Network::Communicator communicator;
  communicator.kind = static_cast<std::uint32_t>(group);
  communicator.stream = static_cast<std::uint32_t>(stream_of(group));
  communicator.members = ranks;
  communicator.shapes = {std::move(shape)};
  for (std::uint32_t c = 0; c < program.collectives.size(); ++c) {
    if (program.collectives[c].group == group) communicator.uses.push_back({c, 0, program.collectives[c].bytes});
  }
  const auto index = static_cast<std::uint32_t>(network.communicators.size());
  const bool is_forward = group == Group::pipeline_forward;
  communicator.is_ordered = is_forward || group == Group::pipeline_backward;
  if (communicator.is_ordered) {
    network.ranks[ranks.front()].slots[static_cast<std::size_t>(group)] = index;
    network.ranks[ranks.back()].slots[is_forward ? kReceivesForward : kReceivesBackward] = index;
  } else {
    for (const std::uint32_t rank : ranks) network.ranks[rank].slots[static_cast<std::size_t>(group)] = index;
  }
  network.communicators.push_back(std::move(communicator));
}

// The whole job of a plan on links that cost nothing.
inline Network instant_network(const Program& program, const Plan& plan) {
  Network network;
  const RankGrid grid(plan);
  for (std::size_t r = 0; r < static_cast<std::size_t>(grid.size()); ++r) {
    network.ranks.push_back({static_cast<std::uint32_t>(grid.point(RankId(r)).pipeline), 1.0, no_slots()});
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    const auto group = static_cast<Group>(g);
    for (const auto& ranks : grid.communicators(group, plan)) {
      std::vector<std::uint32_t> members;
      for (const RankId rank : ranks) members.push_back(rank.value);
      join(network, program, group, members, {});
    }
  }
  return network;
}

}  // namespace trainsim
