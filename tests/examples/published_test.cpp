// The examples of published runs come near what was published, with no tuning factor.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/run.hpp"

namespace trainsim {
namespace {

Result run_example(const std::string& name) {
  const auto path = std::filesystem::path(TRAINSIM_SOURCE_DIR) / "scenarios/examples" / (name + ".yaml");
  return run_scenario(resolve(read_scenario(path)), {}).result;
}

struct Published {
  const char* example;
  double step_s;
};

// Sources: the headers of the example files.
constexpr Published kPublished[] = {
    {"gpt3-175b-selene", 20.83},
    {"gpt-22b-a100-full", 1.42},
    {"gpt-22b-a100-selective", 1.10},
    {"gpt3-175b-64-a100-full", 18.13},
    {"gpt3-175b-64-a100-selective", 13.75},
    {"llama-3.1-405b-16384-h100", 6.49},
    {"llama-3.1-70b-nvfp4-gb200", 6.74},
    {"gpt-oss-120b-gb200", 2.83},
    {"llama-2-70b-lora-h100", 3.84},
};

class PublishedRun : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedRun, IsPredictedWithin15Percent) {
  const double predicted = run_example(GetParam().example).step.time_s;
  EXPECT_NEAR(predicted / GetParam().step_s, 1.0, 0.15);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedRun, ::testing::ValuesIn(kPublished), [](const auto& run) {
  std::string name = run.param.example;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace trainsim
