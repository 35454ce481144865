// The host's side of a step: one op on its stream for each pass, in which it launches the pass's kernels and
// collectives one by one.
#pragma once

#include <vector>

#include "workloads/build_program.hpp"
#include "workloads/op_emitter.hpp"
#include "workloads/program_contents.hpp"

namespace trainsim {

// Launches of a work: its kernels, those of memory-bound operators as counted.
double launches(const Work& work);

class HostLaunches {
 public:
  HostLaunches(const HostPolicy& policy, ContentTable& table) : policy_(policy), table_(table) {}

  // For the emitter: one launch takes policy.s_per_kernel, a collective is one.
  [[nodiscard]] OpEmitter::LaunchTime launch_time() const;

  // Around the emission of a forward or backward pass. The host runs ahead of the GPU by at most the launches that
  // CUDA's queue holds, and blocks on `messages` where the stack does.
  void begin_pass(OpEmitter& emitter, bool is_forward, const Dependencies& messages);
  void end_pass(OpEmitter& emitter);

  // Around the end of the step: the host needs the gradient norm before it launches the optimizer, then does the
  // framework's work between steps.
  void begin_gradients(OpEmitter& emitter);
  void begin_optimizer(OpEmitter& emitter, const Dependencies& norm);
  void end_optimizer(OpEmitter& emitter);

 private:
  struct Pass {
    double launches = 0.0;
    Wait done;  // its compute ops have ended
  };

  [[nodiscard]] Dependencies queue_has_room() const;
  void end(OpEmitter& emitter, const char* name, double seconds);

  const HostPolicy& policy_;
  ContentTable& table_;
  std::vector<Pass> passes_;
};

}  // namespace trainsim
