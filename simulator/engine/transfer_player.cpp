#include "simulator/engine/transfer_player.hpp"

#include <cassert>
#include <utility>

namespace trainsim {

TransferPlayer::TransferPlayer(const Quotient& quotient, const Routes& routes, Clock& clock, LinkMeter& meter,
                               std::function<void(std::uint32_t)> on_end)
    : quotient_(quotient),
      routes_(routes),
      clock_(clock),
      meter_(meter),
      on_end_(std::move(on_end)),
      flights_(quotient.communicators.size()),
      parts_(quotient.parts.size()) {
  for (std::uint32_t c = 0; c < quotient.communicators.size(); ++c) {
    for (const auto& shape : quotient.communicators[c].shapes) {
      for (const auto& phase : shape.phases) {
        for (const std::uint32_t part : phase) parts_[part].communicator = c;
      }
    }
  }
}

void TransferPlayer::start(std::uint32_t communicator, const Network::Use& use) {
  const Quotient::Shape& shape = quotient_.communicators[communicator].shapes[use.shape];
  flights_[communicator] = {&shape, use.payload_bytes, 0, 0};
  start_phase(communicator);
}

void TransferPlayer::start_phase(std::uint32_t communicator) {
  Flight& flight = flights_[communicator];
  while (flight.phase < flight.shape->phases.size() && flight.shape->phases[flight.phase].empty()) ++flight.phase;
  if (flight.phase == flight.shape->phases.size()) {
    on_end_(communicator);
    return;
  }
  const auto& parts = flight.shape->phases[flight.phase];
  flight.parts_left = static_cast<std::uint32_t>(parts.size());
  for (const std::uint32_t part : parts) {
    clock_.at(clock_.now_s() + quotient_.parts[part].latency_s, {kPartBegins, part});
  }
}

void TransferPlayer::on_event(Clock::Event event) {
  assert(event.kind == kPartBegins || event.kind == kPartEnds);
  if (event.kind == kPartBegins) {
    begin_part(event.index);
  } else {
    end_part(event.index);
  }
}

void TransferPlayer::begin_part(std::uint32_t part) {
  RunningPart& running = parts_[part];
  const PartRoute& route = routes_.parts[part];
  running.bytes = quotient_.parts[part].bytes * flights_[running.communicator].payload_bytes;
  if (route.is_private || running.bytes <= 0.0) {
    running.metered_from_s = clock_.now_s();
    list(running_private_, part);
    clock_.at(clock_.now_s() + running.bytes * route.private_s_per_byte, {kPartEnds, part});
  } else {
    running.remaining_bytes = running.bytes;
    list(running_shared_, part);
    clock_.start_flow(route.flow_route, running.bytes, {kPartEnds, part});
  }
}

void TransferPlayer::end_part(std::uint32_t part) {
  const bool is_timer = routes_.parts[part].is_private || parts_[part].bytes <= 0.0;
  if (is_timer) meter_private_part(part);
  unlist(is_timer ? running_private_ : running_shared_, part);
  const std::uint32_t communicator = parts_[part].communicator;
  Flight& flight = flights_[communicator];
  if (--flight.parts_left > 0) return;
  ++flight.phase;
  start_phase(communicator);
}

void TransferPlayer::meter_private_part(std::uint32_t part) {
  RunningPart& running = parts_[part];
  const double duration_s = clock_.now_s() - running.metered_from_s;
  running.metered_from_s = clock_.now_s();
  if (duration_s <= 0.0 || running.bytes <= 0.0) return;
  const double rate = 1.0 / routes_.parts[part].private_s_per_byte;
  for (const auto& use : quotient_.parts[part].uses) {
    meter_.add_private(use.link, rate * static_cast<double>(use.n), duration_s);
  }
}

void TransferPlayer::meter_private() {
  for (const std::uint32_t part : running_private_) meter_private_part(part);
}

void TransferPlayer::meter_shared(double elapsed_s) {
  if (elapsed_s <= 0.0) return;
  for (const std::uint32_t part : running_shared_) {
    const double remaining = clock_.remaining_bytes(routes_.parts[part].flow_route);
    const double rate = (parts_[part].remaining_bytes - remaining) / elapsed_s;
    parts_[part].remaining_bytes = remaining;
    for (const auto& use : quotient_.parts[part].uses) meter_.add_shared(use.link, rate * static_cast<double>(use.n));
  }
  meter_.settle(elapsed_s, clock_.now_s());
}

void TransferPlayer::list(std::vector<std::uint32_t>& running, std::uint32_t part) {
  parts_[part].place = static_cast<std::uint32_t>(running.size());
  running.push_back(part);
}

void TransferPlayer::unlist(std::vector<std::uint32_t>& running, std::uint32_t part) {
  const std::uint32_t place = parts_[part].place;
  running[place] = running.back();
  parts_[running[place]].place = place;
  running.pop_back();
}

}  // namespace trainsim
