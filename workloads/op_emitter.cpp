#include "workloads/op_emitter.hpp"

#include <utility>

namespace trainsim {
namespace {

constexpr std::size_t index(Stream stream) { return static_cast<std::size_t>(stream); }

}  // namespace

void OpEmitter::label(std::int32_t chunk, std::int32_t micro_batch) {
  chunk_ = static_cast<std::uint16_t>(chunk);
  micro_batch_ = micro_batch;
}

Wait OpEmitter::work(std::uint32_t what, const Dependencies& dependencies) {
  Op op;
  op.kind = Op::Kind::work;
  op.what = what;
  return append(Stream::compute, op, dependencies);
}

Wait OpEmitter::collective(Stream stream, std::uint32_t what, const Dependencies& dependencies) {
  Op op;
  op.kind = Op::Kind::collective;
  op.what = what;
  return append(stream, op, dependencies);
}

Wait OpEmitter::finished(Stream stream) const {
  Wait wait;
  wait.stream = stream;
  wait.count = static_cast<std::uint32_t>(program_.ops[index(stream)].size());
  return wait;
}

void OpEmitter::begin_launches(const Dependencies& dependencies, double first_s) {
  append(Stream::host, {}, dependencies);
  is_launching_ = true;
  launched_s_ = first_s;
}

void OpEmitter::end_launches(std::uint32_t what) {
  program_.ops[index(Stream::host)].back().what = what;
  is_launching_ = false;
}

void OpEmitter::add_launch(Op& op) {
  if (launch_time_) launched_s_ += launch_time_(op);
  op.launched_in = static_cast<std::uint32_t>(program_.ops[index(Stream::host)].size());
  op.launch_s = launched_s_;
}

Wait OpEmitter::append(Stream stream, Op op, const Dependencies& dependencies) {
  if (is_launching_) add_launch(op);
  op.first_wait = static_cast<std::uint32_t>(program_.waits.size());
  op.chunk = chunk_;
  op.micro_batch = micro_batch_;
  for (const Wait& wait : dependencies.waits()) {
    if (!is_implied(stream, wait)) program_.waits.push_back(wait);
  }
  op.wait_count = static_cast<std::uint16_t>(program_.waits.size() - op.first_wait);
  program_.ops[index(stream)].push_back(op);
  return finished(stream);
}

bool OpEmitter::is_implied(Stream stream, const Wait& wait) {
  if (wait.of_previous_step) return false;
  if (wait.kind == Wait::Kind::stream && wait.stream == stream) return true;
  std::uint32_t& seen = wait.kind == Wait::Kind::stream
                            ? seen_[index(stream)][index(wait.stream)]
                            : messages_seen_[index(stream)][wait.from == Group::pipeline_forward ? 0 : 1];
  if (wait.count <= seen) return true;
  seen = wait.count;
  return false;
}

StageProgram OpEmitter::take() {
  for (Wait& wait : program_.waits) {
    if (wait.count == kWholeStep) {
      wait.count = static_cast<std::uint32_t>(program_.ops[index(wait.stream)].size());
    }
  }
  StageProgram result = std::exchange(program_, {});
  *this = OpEmitter(std::move(launch_time_));
  return result;
}

}  // namespace trainsim
