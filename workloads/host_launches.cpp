#include "workloads/host_launches.hpp"

namespace trainsim {
namespace {

// Launches that wait on the GPU before the host blocks (CUDA's launch queue).
constexpr double kQueuedLaunches = 1024;

double launches(const MatMul& product) { return product.repeats; }
double launches(const FusedAttention& /*attention*/) { return 1.0; }
double launches(const MemoryBound& kernels) { return kernels.kernels; }
double launches(const HostTime& /*host*/) { return 0.0; }

}  // namespace

double launches(const Work& work) {
  double sum = 0.0;
  for (const Kernel& kernel : work.kernels) {
    sum += std::visit([](const auto& shape) { return launches(shape); }, kernel);
  }
  return sum;
}

OpEmitter::LaunchTime HostLaunches::launch_time() const {
  return [this](const Op& op) {
    const double count = op.kind == Op::Kind::work ? launches(table_.work_at(op.what)) : 1.0;
    return count * policy_.s_per_kernel;
  };
}

void HostLaunches::begin_pass(OpEmitter& emitter, bool is_forward, const Dependencies& messages) {
  if (!policy_.launches_passes()) return;
  Dependencies waits = queue_has_room();
  if (policy_.waits_for_messages) {
    for (const Wait& wait : messages.waits()) waits.add(wait);
  }
  emitter.begin_launches(waits, is_forward ? policy_.s_per_micro_batch : 0.0);
}

void HostLaunches::end_pass(OpEmitter& emitter) {
  if (!policy_.launches_passes()) return;
  const double seconds = emitter.launched_s();
  end(emitter, "launches of a pass", seconds);
  if (policy_.s_per_kernel > 0.0) {
    passes_.push_back({seconds / policy_.s_per_kernel, emitter.finished(Stream::compute)});
  }
}

Dependencies HostLaunches::queue_has_room() const {
  double outstanding = 0.0;
  for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) {
    if (outstanding >= kQueuedLaunches) return {pass->done};
    outstanding += pass->launches;
  }
  return {};
}

void HostLaunches::begin_gradients(OpEmitter& emitter) {
  if (policy_.s_per_kernel > 0.0) emitter.begin_launches({});
}

void HostLaunches::begin_optimizer(OpEmitter& emitter, const Dependencies& norm) {
  if (policy_.s_per_kernel > 0.0) end(emitter, "launches after the last pass", emitter.launched_s());
  if (policy_.takes_time()) emitter.begin_launches(norm);
}

void HostLaunches::end_optimizer(OpEmitter& emitter) {
  if (policy_.takes_time())
    end(emitter, "optimizer's launches and work between steps", emitter.launched_s() + policy_.s_per_step);
  passes_.clear();
}

void HostLaunches::end(OpEmitter& emitter, const char* name, double seconds) {
  // A work of its own even where it takes no time: the host's stream needs one.
  emitter.end_launches(table_.work(name, Activity::host, {HostTime{seconds}}).value());
}

}  // namespace trainsim
