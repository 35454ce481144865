// One run of the built program as a user starts it, in a process of its own, so that its memory is nobody else's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainsim {

struct MeasuredRun {
  std::int64_t gpus = 0;
  std::int64_t rank_classes = 0;
  std::int64_t activities = 0;  // events played
  double wall_s = 0.0;          // from start to exit: reading, playing and writing the result
  double peak_bytes = 0.0;      // resident, of the program or the child that plays, whichever is larger

  [[nodiscard]] double activities_per_s() const { return static_cast<double>(activities) / wall_s; }
};

// `overrides` are values of --set. Throws std::runtime_error when the program gives no result; it has said why then.
MeasuredRun measure_run(const std::filesystem::path& scenario, const std::vector<std::string>& overrides);

// The fastest of `times` runs: what disturbs a run only ever slows it down.
MeasuredRun fastest_run(const std::filesystem::path& scenario, const std::vector<std::string>& overrides, int times);

}  // namespace trainsim
