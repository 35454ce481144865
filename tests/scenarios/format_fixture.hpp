// Scenario texts written to a file of their own and read back; messages name that file "f".
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/format/scenario.hpp"

namespace trainsim {

// Valid, and every section that must be there.
inline constexpr std::string_view kGoodScenario =
    "trainsim: 1\n"              // 1
    "model:\n"                   // 2
    "  preset: llama-3.1-8b\n"   // 3
    "training:\n"                // 4
    "  global_batch_size: 64\n"  // 5
    "  micro_batch_size: 1\n"    // 6
    "  sequence_length: 8192\n"  // 7
    "  precision: bf16\n"        // 8
    "parallelism:\n"             // 9
    "  tensor: 2\n"              // 10
    "cluster:\n"                 // 11
    "  nodes: 8\n"               // 12
    "  node: hgx-h100\n";        // 13, so that what follows begins in line 14

class FormatFixture : public ::testing::Test {
 protected:
  FormatFixture() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("trainsim_format_" + std::string(test->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FormatFixture() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "scenario.yaml"; }

  Scenario read(std::string_view text, const std::vector<std::string>& overrides = {}) const {
    std::ofstream(file(), std::ios::binary) << text;
    return read_scenario(file(), overrides);
  }

  // What read_scenario says of a path, with the file's name as "f"; "accepted" when it says nothing.
  [[nodiscard]] std::string refusal_of(const std::filesystem::path& path,
                                       const std::vector<std::string>& overrides = {}) const {
    try {
      read_scenario(path, overrides);
    } catch (const InputError& error) {
      std::string text = error.what();
      for (std::size_t at = text.find(path.string()); at != std::string::npos; at = text.find(path.string())) {
        text.replace(at, path.string().size(), "f");
      }
      return text;
    }
    return "accepted";
  }

  [[nodiscard]] std::string refusal(std::string_view text, const std::vector<std::string>& overrides = {}) const {
    std::ofstream(file(), std::ios::binary) << text;
    return refusal_of(file(), overrides);
  }

 private:
  std::filesystem::path folder_;
};

// The good scenario with its first `from` replaced.
inline std::string good_with(std::string_view from, std::string_view to) {
  std::string text(kGoodScenario);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The good scenario with more lines, the first of them line 14.
inline std::string good_and(std::string_view lines) { return std::string(kGoodScenario) + std::string(lines); }

}  // namespace trainsim
