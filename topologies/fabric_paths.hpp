// Paths between NICs: up to the lowest common switch, then down. Only ways up are looked at, never the many ways down
// of a switch, so a path costs a few steps however large the fabric is.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/base/ids.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

class FabricPaths {
 public:
  explicit FabricPaths(const Topology& topology);

  // Whether a cable leads from the NIC into the fabric and one back.
  [[nodiscard]] bool is_connected(VertexId nic) const;
  // The switch that the NIC's first cable leads to. REQUIRES: is_connected(nic).
  [[nodiscard]] VertexId leaf_of(VertexId nic) const;
  // Appends the links in travel order, or returns false and leaves `route` alone when the two have no common switch.
  [[nodiscard]] bool append(VertexId from_nic, VertexId to_nic, std::vector<LinkId>& route) const;

 private:
  // The links of each vertex in one array, as in compressed sparse rows.
  struct Rows {
    std::vector<std::uint32_t> begin;
    std::vector<LinkId> links;
  };
  struct Step {
    VertexId vertex;
    std::uint32_t previous = 0;
    LinkId link;
  };

  [[nodiscard]] Rows collect(bool upwards) const;
  [[nodiscard]] std::vector<Step> climb(VertexId start, bool upwards) const;

  const Topology& topology_;
  Rows up_;    // links upwards, by source
  Rows down_;  // links downwards, by target
};

}  // namespace trainsim
