#include "simulator/engine/tenants.hpp"

#include <algorithm>
#include <cmath>

namespace trainsim {
namespace {

bool is_permanent(const ShareLoop& loop) { return !loop.mean_busy_s || !loop.mean_quiet_s; }

bool acts_on(std::size_t share, const Quotient::LinkClass& link) { return ((link.link.shares >> share) & 1U) != 0; }

double uniform(std::mt19937_64& random) { return (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53; }

// As often as the tenant is busy in the long run.
bool begins_busy(const ShareLoop& loop, std::mt19937_64& random) {
  return uniform(random) * (*loop.mean_busy_s + *loop.mean_quiet_s) < *loop.mean_busy_s;
}

// Inverse transform of the generator's own bits, so that every standard library draws the same.
double exponential(std::mt19937_64& random, double mean) { return -mean * std::log(uniform(random)); }

}  // namespace

Tenants::Tenants(const Play& play, const Routes& routes, Clock& clock, LinkMeter& meter, TransferPlayer& transfers)
    : play_(play),
      routes_(routes),
      clock_(clock),
      meter_(meter),
      transfers_(transfers),
      last_start_s_(play.traffic.size(), 0.0) {
  for (std::size_t i = 0; i < play.shares.size(); ++i) {
    std::seed_seq seed{play.seed, play.seed >> 32U, std::uint64_t{i}};
    turns_.push_back({false, std::mt19937_64(seed)});
    if (!is_permanent(play.shares[i])) turns_.back().is_busy = begins_busy(play.shares[i], turns_.back().random);
  }
}

std::vector<double> Tenants::steady_capacities(const Play& play) {
  std::vector<double> capacities;
  for (const auto& link : play.quotient.links) {
    double capacity = link.link.capacity_bytes_per_s;
    for (std::size_t i = 0; i < play.shares.size(); ++i) {
      if (acts_on(i, link) && is_permanent(play.shares[i]))
        capacity -= play.shares[i].share * link.link.capacity_bytes_per_s;
    }
    capacities.push_back(capacity);
  }
  return capacities;
}

std::vector<bool> Tenants::varying_links(const Play& play) {
  std::vector<bool> result(play.quotient.links.size(), false);
  for (std::size_t i = 0; i < play.shares.size(); ++i) {
    if (is_permanent(play.shares[i])) continue;
    for (std::size_t l = 0; l < result.size(); ++l) result[l] = result[l] || acts_on(i, play.quotient.links[l]);
  }
  return result;
}

void Tenants::start() {
  for (std::uint32_t i = 0; i < play_.traffic.size(); ++i) clock_.at(play_.traffic[i].from_s, {kTrafficStarts, i});
  for (std::uint32_t i = 0; i < play_.shares.size(); ++i) {
    if (!is_permanent(play_.shares[i])) schedule_turn(i);
  }
  apply_shares();
}

void Tenants::on_event(Clock::Event event) {
  if (is_stopped_) return;
  if (event.kind == kTrafficStarts) {
    start_traffic(event.index);
  } else {
    turn(event.index);
  }
}

void Tenants::start_traffic(std::uint32_t loop) {
  const TrafficLoop& traffic = play_.traffic[loop];
  if (traffic.to_s && clock_.now_s() >= *traffic.to_s) return;
  last_start_s_[loop] = clock_.now_s();
  transfers_.start(traffic.communicator, play_.quotient.communicators[traffic.communicator].uses.front());
}

bool Tenants::owns(std::uint32_t communicator) const {
  return std::ranges::any_of(play_.traffic, [&](const TrafficLoop& loop) { return loop.communicator == communicator; });
}

void Tenants::on_transfer_end(std::uint32_t communicator) {
  if (is_stopped_) return;
  for (std::uint32_t i = 0; i < play_.traffic.size(); ++i) {
    if (play_.traffic[i].communicator != communicator) continue;
    clock_.at(std::max(clock_.now_s(), last_start_s_[i] + play_.traffic[i].every_s), {kTrafficStarts, i});
  }
}

void Tenants::schedule_turn(std::uint32_t share) {
  const ShareLoop& loop = play_.shares[share];
  const double mean = turns_[share].is_busy ? *loop.mean_busy_s : *loop.mean_quiet_s;
  clock_.at(clock_.now_s() + exponential(turns_[share].random, mean), {kShareTurns, share});
}

void Tenants::turn(std::uint32_t share) {
  turns_[share].is_busy = !turns_[share].is_busy;
  apply_shares();
  schedule_turn(share);
}

void Tenants::apply_shares() {
  for (std::uint32_t l = 0; l < routes_.shared_links.size(); ++l) {
    const auto& link = play_.quotient.links[routes_.shared_links[l]];
    double left = 1.0;
    for (std::size_t i = 0; i < play_.shares.size(); ++i) {
      if (acts_on(i, link) && (is_permanent(play_.shares[i]) || turns_[i].is_busy)) left -= play_.shares[i].share;
    }
    const double capacity = std::max(left, 1e-9) * link.link.capacity_bytes_per_s;
    meter_.set_capacity(routes_.shared_links[l], capacity);
    clock_.set_capacity(l, capacity / routes_.divisors[l]);
  }
}

}  // namespace trainsim
