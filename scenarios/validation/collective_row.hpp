// One published measurement of a collective, whichever table it is from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainsim {

struct CollectiveRow {
  std::string place;  // "collectives_tables.csv:12"
  std::string accelerator, collective, library, algorithm, network, note, source;
  std::int64_t nodes = 0, gpus = 0;  // 0: not stated
  std::optional<double> bytes;
  std::optional<double> time_s;  // where it is not printed, what the bus bandwidth comes to
  [[nodiscard]] const std::string& text(std::string_view column) const;  // of the names above; empty for others
};

// The rows of kernels/collectives_tables.csv and measured/collectives.csv below `folder`. Throws InputError for one
// that cannot be read.
std::vector<CollectiveRow> read_collective_rows(const std::filesystem::path& folder);

}  // namespace trainsim
