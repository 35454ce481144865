#include "simulator/engine/player.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

namespace trainsim {
namespace {

double largest_flow_bytes(const Quotient& quotient) {
  double largest = 1.0;
  for (const auto& communicator : quotient.communicators) {
    for (const auto& use : communicator.uses) {
      for (const auto& phase : communicator.shapes[use.shape].phases) {
        for (const std::uint32_t part : phase)
          largest = std::max(largest, quotient.parts[part].bytes * use.payload_bytes);
      }
    }
  }
  return largest;
}

std::vector<double> full_capacities(const Quotient& quotient) {
  std::vector<double> capacities;
  for (const auto& link : quotient.links) capacities.push_back(link.link.capacity_bytes_per_s);
  return capacities;
}

std::vector<std::vector<std::uint32_t>> uses_by_collective(const Quotient& quotient, std::size_t collectives) {
  std::vector<std::vector<std::uint32_t>> table;
  for (const auto& communicator : quotient.communicators) {
    std::vector<std::uint32_t> row(collectives, kNone);
    for (std::uint32_t u = 0; u < communicator.uses.size(); ++u) {
      if (communicator.kind < kGroups) row[communicator.uses[u].collective] = u;
    }
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Player::Player(const Play& play)
    : play_(play),
      routes_(plan_routes(play.quotient, Tenants::steady_capacities(play), Tenants::varying_links(play))),
      clock_(routes_.shared_capacities_bytes_per_s, routes_.flow_routes, largest_flow_bytes(play.quotient)),
      meter_(full_capacities(play.quotient)),
      streams_(play.program, play.quotient),
      transfers_(play.quotient, routes_, clock_, meter_, [this](std::uint32_t c) { end_transfer(c); }),
      tenants_(play, routes_, clock_, meter_, transfers_),
      gatherings_(play.quotient.communicators.size()),
      use_of_collective_(uses_by_collective(play.quotient, play.program.collectives.size())),
      ranks_(play.quotient.ranks.size()) {
  timeline_.compute.resize(play.quotient.ranks.size());
  const std::vector<double> capacities = Tenants::steady_capacities(play);
  for (std::uint32_t l = 0; l < capacities.size(); ++l) meter_.set_capacity(l, capacities[l]);
}

Timeline Player::run() {
  clock_.at(0.0, {0, 0});
  clock_.run([this](Clock::Event event) { on_event(event); },
             [this](double elapsed_s) { transfers_.meter_shared(elapsed_s); });
  if (!is_measured_) report_deadlock();
  return std::move(timeline_);
}

void Player::on_event(Clock::Event event) {
  if (timeline_.activities + tenant_events_ > play_.max_events) {
    throw TooManyEvents("the play takes more than " + std::to_string(play_.max_events) + " events");
  }
  switch (event.kind) {
    case 0:
      tenants_.start();
      for (std::uint32_t r = 0; r < play_.quotient.ranks.size(); ++r) advance(r, kNone);
      break;
    case kWorkEnds:
      end_work_if_due(event.index);
      break;
    case kSlowestArrives:
      start_transfer(event.index);
      break;
    case kHostEnds:
      end_host(event.index);
      break;
    case kIsLaunched:
      advance(event.index, ranks_[event.index].running_host);
      break;
    case TransferPlayer::kPartBegins:
    case TransferPlayer::kPartEnds:
      transfers_.on_event(event);
      break;
    default:
      ++tenant_events_;
      tenants_.on_event(event);
  }
}

void Player::advance(std::uint32_t rank, std::uint32_t trigger) {
  if (is_measured_) return;
  for (std::size_t s = 0; s < kStreams; ++s) {
    const auto stream = static_cast<Stream>(s);
    const Op* op = streams_.ready_op(rank, stream);
    if (op == nullptr || !is_launched(rank, stream, *op)) continue;
    streams_.begin(rank, stream);
    ++timeline_.activities;
    if (stream == Stream::host) {
      start_host(rank, *op, trigger);
    } else if (op->kind == Op::Kind::work) {
      assert(stream == Stream::compute);
      start_work(rank, *op, trigger);
    } else {
      arrive(rank, stream, *op, trigger);
    }
  }
}

bool Player::is_now(double time_s) const {
  constexpr double kSameInstant = 1e-12;  // relative: what rounding of the clock may leave
  return time_s - clock_.now_s() <= kSameInstant * time_s;
}

bool Player::is_launched(std::uint32_t rank, Stream stream, const Op& op) {
  const RankStreams::Launch launch = streams_.launch_of(rank, stream, op);
  if (launch != RankStreams::Launch::under_way) return launch == RankStreams::Launch::done;
  RankState& state = ranks_[rank];
  const double at_s = timeline_.spans[state.running_host].start_s + op.launch_s;
  if (is_now(at_s)) return true;
  double& expected_s = state.launch_at_s[static_cast<std::size_t>(stream)];
  if (expected_s != at_s) clock_.at(at_s, {kIsLaunched, rank});
  expected_s = at_s;
  return false;
}

void Player::start_host(std::uint32_t rank, const Op& op, std::uint32_t trigger) {
  ranks_[rank].running_host = open_span(op, rank, trigger, streams_.step_of(rank, Stream::host));
  clock_.at(clock_.now_s() + play_.work_s[op.what], {kHostEnds, rank});
}

void Player::end_host(std::uint32_t rank) {
  const std::uint32_t span = std::exchange(ranks_[rank].running_host, kNone);
  timeline_.spans[span].end_s = clock_.now_s();
  end_stream_op(rank, Stream::host);
  advance(rank, span);
}

std::uint32_t Player::open_span(const Op& op, std::uint32_t actor, std::uint32_t trigger, std::uint32_t step) {
  Span span;
  span.start_s = clock_.now_s();
  span.end_s = span.start_s;
  span.actor = actor;
  span.what = op.what;
  span.step = step;
  span.micro_batch = op.micro_batch;
  span.chunk = op.chunk;
  span.is_transfer = op.kind == Op::Kind::collective;
  span.released_by = trigger;
  timeline_.spans.push_back(span);
  return static_cast<std::uint32_t>(timeline_.spans.size() - 1);
}

void Player::start_work(std::uint32_t rank, const Op& op, std::uint32_t trigger) {
  // A slow GPU slows its kernels, not what keeps them waiting.
  const Activity activity = play_.program.works[op.what].activity;
  const bool is_kernel = activity != Activity::host && activity != Activity::data_loading;
  const double slowdown = is_kernel ? play_.quotient.ranks[rank].slowdown : 1.0;
  const double duration_s = play_.work_s[op.what];
  RankState& state = ranks_[rank];
  state.running_work = open_span(op, rank, trigger, streams_.step_of(rank, Stream::compute));
  timeline_.compute[rank].push_back(state.running_work);
  for (Computed& since : state.computed) {
    since.s += duration_s;
    since.square_s2 += duration_s * duration_s;
  }
  state.work_left_s = duration_s * slowdown;
  state.looked_at_s = clock_.now_s();
  expect_work_end(rank);
}

double Player::work_rate(const RankState& rank) const {
  return rank.resident_collectives > 0 ? 1.0 / (1.0 + play_.overlap_slowdown) : 1.0;
}

void Player::expect_work_end(std::uint32_t rank) {
  RankState& state = ranks_[rank];
  state.work_ends_s = clock_.now_s() + state.work_left_s / work_rate(state);
  clock_.at(state.work_ends_s, {kWorkEnds, rank});
}

void Player::add_resident(std::uint32_t rank, int change) {
  RankState& state = ranks_[rank];
  const double rate = work_rate(state);
  state.resident_collectives += static_cast<std::uint32_t>(change);
  if (state.running_work == kNone || work_rate(state) == rate) return;
  state.work_left_s = std::max(0.0, state.work_left_s - (clock_.now_s() - state.looked_at_s) * rate);
  state.looked_at_s = clock_.now_s();
  expect_work_end(rank);
}

void Player::end_work_if_due(std::uint32_t rank) {
  RankState& state = ranks_[rank];
  if (state.running_work == kNone || !is_now(state.work_ends_s)) return;
  const std::uint32_t span = std::exchange(state.running_work, kNone);
  timeline_.spans[span].end_s = clock_.now_s();
  const double duration_s = clock_.now_s() - timeline_.spans[span].start_s;
  timeline_.spans[span].excess_s = duration_s * (1.0 - 1.0 / play_.quotient.ranks[rank].slowdown);
  end_stream_op(rank, Stream::compute);
  advance(rank, span);
}

void Player::arrive(std::uint32_t rank, Stream stream, const Op& op, std::uint32_t trigger) {
  const Collective& collective = play_.program.collectives[op.what];
  const std::uint32_t communicator = play_.quotient.ranks[rank].slots[static_cast<std::size_t>(collective.group)];
  assert(communicator != kNone);
  Gathering& gathering = gatherings_[communicator];
  gathering.stream = stream;
  gathering.arrived.push_back(rank);
  gathering.arrivals_s.push_back(clock_.now_s());
  const bool is_send = collective.kind == CollectiveKind::send;
  if (!is_send) add_resident(rank, 1);
  const std::size_t expected = is_send ? 1 : play_.quotient.communicators[communicator].members.size();
  if (gathering.arrived.size() < expected) return;
  gathering.span = open_span(op, communicator, trigger, streams_.step_of(rank, stream));
  const double noise_s = is_send ? 0.0 : take_noise_s(gathering.arrived, collective.group);
  timeline_.spans[gathering.span].excess_s = noise_s;
  if (noise_s > 0.0) {
    clock_.at(clock_.now_s() + noise_s, {kSlowestArrives, communicator});
  } else {
    start_transfer(communicator);
  }
}

double Player::take_noise_s(const std::vector<std::uint32_t>& members, Group group) {
  const auto g = static_cast<std::size_t>(group);
  const Synchronisation& cost = play_.synchronisations[g];
  double noise_s = 0.0;
  for (const std::uint32_t rank : members) {
    const Computed since = std::exchange(ranks_[rank].computed[g], {});
    noise_s = std::max(noise_s, cost.per_root_square * std::sqrt(since.square_s2) + cost.per_second * since.s);
  }
  return noise_s;
}

void Player::start_transfer(std::uint32_t communicator) {
  const std::uint32_t what = timeline_.spans[gatherings_[communicator].span].what;
  const std::uint32_t use = use_of_collective_[communicator][what];
  assert(use != kNone);
  transfers_.start(communicator, play_.quotient.communicators[communicator].uses[use]);
}

void Player::end_transfer(std::uint32_t communicator) {
  if (tenants_.owns(communicator)) {
    tenants_.on_transfer_end(communicator);
    return;
  }
  Gathering gathering = std::exchange(gatherings_[communicator], {});
  timeline_.spans[gathering.span].end_s = clock_.now_s();
  const Collective& collective = play_.program.collectives[timeline_.spans[gathering.span].what];
  for (std::size_t i = 0; i < gathering.arrived.size(); ++i) {
    timeline_.residencies.push_back({gathering.arrived[i], gathering.arrivals_s[i], clock_.now_s()});
    if (collective.kind != CollectiveKind::send) add_resident(gathering.arrived[i], -1);
    end_stream_op(gathering.arrived[i], gathering.stream);
  }
  if (collective.kind == CollectiveKind::send) {
    const std::uint32_t receiver = play_.quotient.communicators[communicator].members.back();
    timeline_.residencies.push_back({receiver, timeline_.spans[gathering.span].start_s, clock_.now_s()});
    streams_.receive_message(receiver, collective.group);
    gathering.arrived.push_back(receiver);
  }
  for (const std::uint32_t rank : gathering.arrived) advance(rank, gathering.span);
}

void Player::end_stream_op(std::uint32_t rank, Stream stream) {
  const std::uint32_t step = streams_.step_of(rank, stream);
  if (!streams_.finish(rank, stream)) return;
  if (ranks_done_.size() <= step) ranks_done_.resize(step + 1, 0);
  if (++ranks_done_[step] == play_.quotient.ranks.size()) end_step();
}

void Player::end_step() {
  if (is_measured_) return;
  timeline_.step_ends_s.push_back(clock_.now_s());
  transfers_.meter_private();
  timeline_.loads.push_back(meter_.take_step());
  if (const auto measured = measured_steps(timeline_.step_ends_s, play_.rule)) {
    is_measured_ = true;
    tenants_.stop();
    timeline_.first_measured_step = measured->first;
    timeline_.last_measured_step = measured->last;
  }
}

void Player::report_deadlock() const {
  std::string text = "the play cannot go on (deadlock); waiting:";
  constexpr std::size_t kMostLines = 20;
  std::size_t lines = 0;
  for (std::uint32_t r = 0; r < play_.quotient.ranks.size(); ++r) {
    for (const std::string& line : streams_.waiting(r)) {
      if (lines++ < kMostLines)
        text += "\n  rank " + std::to_string(play_.quotient.ranks[r].representative) + ", " + line;
    }
  }
  if (lines > kMostLines) text += "\n  … and " + std::to_string(lines - kMostLines) + " more";
  throw Deadlock(text);
}

std::uint64_t predicted_activities(const Play& play, std::uint32_t steps) {
  std::uint64_t per_step = 0;
  for (const auto& rank : play.quotient.ranks) {
    for (const auto& ops : play.program.stages[rank.program].ops) per_step += ops.size();
  }
  return per_step * steps;
}

Timeline play_here(const Play& play) { return Player(play).run(); }

}  // namespace trainsim
