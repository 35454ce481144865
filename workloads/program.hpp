// What the ranks of one pipeline stage do in one optimizer step, hardware-neutral: ops on streams, in FLOPs, bytes and
// shapes. All ranks of a stage run the same program; the engine repeats it step after step.
//
// Each stream runs its ops in order. An op starts when its stream has reached it, all its waits hold and the host has
// launched it. The host is a stream as well: one op for each run of launches (a pass through a chunk), during which it
// launches the ops of other streams one after another, ahead of the GPU as far as its own waits allow.
// Invariants: waits of one step never form a cycle; every send has one receiver (the peer's program waits for it by
// count); every compute op names its Work, every collective its Collective.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workloads/rank_grid.hpp"

namespace trainsim {

enum class Stream : std::uint8_t {
  host,  // first: what it launches can start at the same instant
  compute,
  tensor_comm,
  context_comm,
  expert_comm,
  data_comm,
  replica_comm,
  pipeline_forward,
  pipeline_backward,
};
constexpr std::size_t kStreams = 9;
constexpr std::array<std::string_view, kStreams> kStreamNames = {
    "host",      "compute",      "tensor-comm",      "context-comm",     "expert-comm",
    "data-comm", "replica-comm", "pipeline-forward", "pipeline-backward"};

// The one stream on which a rank runs the collectives of a group.
constexpr Stream stream_of(Group group) {
  switch (group) {
    case Group::pipeline_forward:
      return Stream::pipeline_forward;
    case Group::pipeline_backward:
      return Stream::pipeline_backward;
    case Group::data:
    case Group::shard:
    case Group::expert_data:
    case Group::embedding:
      return Stream::data_comm;
    case Group::replica:
      return Stream::replica_comm;
    case Group::expert:
    case Group::expert_tensor:
      return Stream::expert_comm;
    case Group::context:
      return Stream::context_comm;
    case Group::tensor:
    case Group::gradient_norm:
      break;
  }
  return Stream::tensor_comm;
}

// The label of a compute op in the time split (formats/results.md, gpu_time). Forward and backward are both "compute".
enum class Activity : std::uint8_t { forward, backward, recompute, optimizer, host, data_loading };

// C[m,n] += A[m,k] B[k,n], `count` times (independent, e.g. one per head).
struct MatMul {
  double m = 0, n = 0, k = 0;
  double count = 1;
  bool accumulates_fp32 = false;  // adds into an fp32 gradient buffer (weight gradients)
  bool stays_16_bit = false;      // logits and attention products: fp8 and fp4 recipes leave them in 16 bits
  bool is_grouped = false;        // one product per expert, launched as one kernel
  double repeats = 1;             // as many equal ones, one after another
  friend bool operator==(const MatMul&, const MatMul&) = default;
};

// Fused attention of `batch` sequences over `heads` query heads (this rank's). A query meets `attended_keys` on
// average: half of `keys` under a causal mask, less than a window.
struct FusedAttention {
  double batch = 0, heads = 0, queries = 0, keys = 0, attended_keys = 0;
  double qk_dim = 0, v_dim = 0;
  bool is_backward = false;
  friend bool operator==(const FusedAttention&, const FusedAttention&) = default;
};

// Norms, activations, dropout, residuals, softmax, embedding, loss, optimizer: whatever is bound by memory bandwidth.
struct MemoryBound {
  double bytes = 0;    // read and written
  double kernels = 1;  // launches that they are spread over
  bool is_optimizer = false;
  friend bool operator==(const MemoryBound&, const MemoryBound&) = default;
};

// What the host takes to launch kernels and for the framework's own work (software stack).
struct HostTime {
  double seconds = 0;
  friend bool operator==(const HostTime&, const HostTime&) = default;
};

using Kernel = std::variant<MatMul, FusedAttention, MemoryBound, HostTime>;

// A run of kernels without communication in between, costed as one.
struct Work {
  std::string name;  // "attention forward", "mlp backward", "head", "optimizer" …
  Activity activity = Activity::forward;
  std::vector<Kernel> kernels;
  friend bool operator==(const Work&, const Work&) = default;
};

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send,
  ring_shift,  // every rank sends to the next one and receives from the one before
};
constexpr std::size_t kCollectiveKinds = 7;

// `bytes` is the size nccl-tests calls size: the whole vector for all-reduce, the gathered or the scattered-from vector
// for all-gather and reduce-scatter, what one rank holds for all-to-all, the message for a send or a shift.
struct Collective {
  std::string name;  // "tensor all-reduce", "gradient reduce-scatter" …
  CollectiveKind kind = CollectiveKind::all_reduce;
  Group group = Group::tensor;
  double bytes = 0;
  friend bool operator==(const Collective&, const Collective&) = default;
};

// "Stream `stream` of this rank has finished its first `count` ops of this step", or "the peer behind `from` has
// delivered `count` messages this step" (from: pipeline_forward = from the previous stage, pipeline_backward = from the
// next). With `of_previous_step`, counts refer to the step before; they hold in the first step.
struct Wait {
  enum class Kind : std::uint8_t { stream, message };
  Kind kind = Kind::stream;
  Stream stream = Stream::compute;
  Group from = Group::pipeline_forward;
  bool of_previous_step = false;
  std::uint32_t count = 0;
};

struct Op {
  enum class Kind : std::uint8_t { work, collective };  // a send is a collective of kind send
  Kind kind = Kind::work;
  std::uint32_t what = 0;        // index into Program::works or Program::collectives
  std::uint32_t first_wait = 0;  // into StageProgram::waits
  std::uint16_t wait_count = 0;
  std::uint16_t chunk = 0;        // virtual stage it belongs to
  std::int32_t micro_batch = -1;  // -1: belongs to the step as a whole
  // The host launches it in its op number `launched_in` of the step (from 1), `launch_s` after that has started. 0: it
  // needs no launch.
  std::uint32_t launched_in = 0;
  double launch_s = 0.0;
};

struct StageProgram {
  std::array<std::vector<Op>, kStreams> ops;
  std::vector<Wait> waits;
};

// One forward or backward pass of one micro-batch through one chunk, in the order a stage runs them.
struct Slot {
  bool is_forward = true;
  std::int32_t micro_batch = 0;
  std::int32_t chunk = 0;  // virtual stage on this pipeline rank, 0-based
};

struct Program {
  std::vector<Work> works;
  std::vector<Collective> collectives;
  std::vector<StageProgram> stages;         // by pipeline rank
  std::vector<std::vector<Slot>> schedule;  // by pipeline rank
};

}  // namespace trainsim
