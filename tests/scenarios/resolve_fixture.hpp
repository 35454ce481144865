// Scenarios to resolve: a small base, ways to change its text, and faults with the text they point at.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/resolve/resolve.hpp"

namespace trainsim {

// 16 GPUs: tensor 4 x pipeline 2 leave data 2; 16 / (2 x 2) = 4 micro-batches.
inline constexpr const char* kBase = R"(trainsim: 1
name: base
model:
  transformer:
    layers: 8
    hidden_size: 1024
    ffn_hidden_size: 4096
    attention_heads: 16
    kv_heads: 8
    vocab_size: 32000
    gated_mlp: true
training:
  global_batch_size: 16
  micro_batch_size: 2
  sequence_length: 2048
  precision: bf16
parallelism:
  tensor: 4
  pipeline: 2
cluster:
  nodes: 2
  node: hgx-h100
)";

// Two nodes per leaf, so four leaves under eight nodes.
inline constexpr const char* kLeafSpine =
    "  fabric: {kind: leaf-spine, nodes: 8, leaf_ports: 24, oversubscription: 2}\n";

// The base with each first text replaced by the second.
inline std::string changed(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = kBase;
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

inline std::string with_lines(const std::string& lines) { return kBase + lines; }

class Resolve : public testing::Test {
 protected:
  Resolve() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Resolve() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  ResolvedScenario resolved(const std::string& text) const { return resolve(read_scenario(write("a.yaml", text))); }

  // Each fault as "text at its place | key: what; allowed".
  std::vector<std::string> faults(const std::string& text) const {
    const Scenario scenario = read_scenario(write("a.yaml", text));
    std::vector<std::string> found;
    try {
      resolve(scenario);
    } catch (const InputError& error) {
      for (const Diagnostic& fault : error.diagnostics()) {
        found.push_back(text_at(fault.where) + " | " + fault.key + ": " + fault.what + "; " + fault.allowed);
      }
    }
    return found;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();

 private:
  // The rest of the line that a fault points at.
  static std::string text_at(const Location& where) {
    std::ifstream stream(where.file);
    std::string line;
    for (int number = 0; number < where.line; ++number) std::getline(stream, line);
    return line.substr(static_cast<std::size_t>(where.column - 1));
  }
};

}  // namespace trainsim
