// The job and its neighbours before folding: every rank, communicator and link, and what each communicator asks of the
// links. Pure data; scenarios/run fills it, fold() reads it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/lowering/transfer.hpp"
#include "simulator/timeline/timeline.hpp"
#include "topologies/topology.hpp"
#include "workloads/rank_grid.hpp"

namespace trainsim {

// Where a rank stands in its communicators: one slot per Group (as a member, or as the sender of a pipeline group), and
// one for each pipeline group that it receives from.
constexpr std::size_t kReceivesForward = kGroups;
constexpr std::size_t kReceivesBackward = kGroups + 1;
constexpr std::size_t kSlots = kGroups + 2;
using Slots = std::array<std::uint32_t, kSlots>;  // communicator indices, kNone where the rank has none

constexpr Slots no_slots() {
  Slots slots{};
  slots.fill(kNone);
  return slots;
}

struct Network {
  struct Rank {
    std::uint32_t program = 0;  // pipeline stage
    double slowdown = 1.0;      // 1 / speed
    Slots slots = no_slots();
  };

  // How a communicator performs one of the program's collectives: a shape, times the payload.
  struct Use {
    std::uint32_t collective = 0;  // index into Program::collectives; of a tenant: 0
    std::uint32_t shape = 0;       // index into Communicator::shapes
    double payload_bytes = 0.0;
    friend bool operator==(const Use&, const Use&) = default;
  };

  struct Communicator {
    std::uint32_t kind = 0;              // equal for communicators that may be equal: the Group, or kGroups + tenant
    std::uint32_t stream = kNone;        // of its members, who run its collectives there one by one; kNone: a tenant's
    bool is_ordered = false;             // members are not interchangeable (sender, receiver)
    std::vector<std::uint32_t> members;  // rank indices; empty for a tenant
    std::vector<Transfer> shapes;        // for a payload of one byte
    std::vector<Use> uses;
  };

  struct NetworkLink {
    double capacity_bytes_per_s = 0.0;  // usable by collectives
    LinkKind kind = LinkKind::nvlink;
    std::uint16_t tier = 0;
    bool is_up = false;
    std::uint32_t shares = 0;  // bit i: share tenant i acts on this link
  };

  std::vector<Rank> ranks;
  std::vector<Communicator> communicators;
  std::vector<NetworkLink> links;  // by LinkId
};

}  // namespace trainsim
