// Runs the built program as a user does, and keeps what it said.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace trainsim {

struct Outcome {
  int status = -1;  // exit status; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// A folder of its own, with a small valid scenario in it; the program runs in there.
class CommandLine : public testing::Test {
 protected:
  CommandLine();
  ~CommandLine() override;

  // `standard_output` is a path that takes the place of the captured one.
  Outcome trainsim(std::vector<std::string> arguments, const std::string& standard_output = "") const;
  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  // Everything in the folder, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

  std::filesystem::path folder_;
};

}  // namespace trainsim
