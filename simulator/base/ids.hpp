// Typed indices. An Id is a position in one particular vector; ids of different things do not mix.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace trainsim {

template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using VertexId = Id<struct VertexTag>;  // a device of a Topology
using LinkId = Id<struct LinkTag>;      // a directed link of a Topology
using GpuId = Id<struct GpuTag>;        // a GPU of the machine, node by node
using RankId = Id<struct RankTag>;      // a training rank of the job

}  // namespace trainsim
