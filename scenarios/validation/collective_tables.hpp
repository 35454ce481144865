// What published tables of collectives call things, from catalog/collective_tables.yaml: the code knows no source,
// machine or row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/validation/collective_row.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// The network between nodes. What is not said is the node's own.
struct TableNetwork {
  std::string protocol;
  double link_bytes_per_s = 0.0;
  std::uint32_t nics = 0;  // 0: as many as the node has
  bool in_network = false;
};

// A row as the simulator can play it.
struct TableCase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string node;  // of the topology catalog
  TableNetwork network;
  std::string algorithm = "auto";
};

// Either a case, or why there is none.
struct TableReading {
  std::optional<TableCase> found;
  std::string why_not;
};

TableReading reading_of(const CollectiveRow& row);

}  // namespace trainsim
