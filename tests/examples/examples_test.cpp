// The shipped examples: each runs, its result is the kept one, and the published ones come near what was published.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/format/scenario.hpp"
#include "scenarios/report/json.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/run.hpp"

namespace trainsim {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const fs::path kExamples = fs::path(TRAINSIM_SOURCE_DIR) / "scenarios/examples";
const fs::path kGolden = fs::path(TRAINSIM_SOURCE_DIR) / "tests/examples/golden";

Result run_example(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return run_scenario(resolve(read_scenario(kExamples / (name + ".yaml"), overrides)), {}).result;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kExamples)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// Equal, numbers to 1e-9 relative.
void expect_same(const ordered_json& actual, const ordered_json& kept, const std::string& path) {
  if (actual.is_number() && kept.is_number()) {
    const double a = actual.get<double>();
    const double b = kept.get<double>();
    EXPECT_LE(std::abs(a - b), 1e-9 * std::max({std::abs(a), std::abs(b), 1e-3})) << path << ": " << a << " was " << b;
    return;
  }
  if (actual.is_object() && kept.is_object()) {
    for (const auto& [key, value] : kept.items()) {
      EXPECT_TRUE(actual.contains(key)) << path << "." << key << " is gone";
      if (actual.contains(key)) expect_same(actual[key], value, path + "." + key);
    }
    for (const auto& [key, value] : actual.items()) EXPECT_TRUE(kept.contains(key)) << path << "." << key << " is new";
    return;
  }
  if (actual.is_array() && kept.is_array() && actual.size() == kept.size()) {
    for (std::size_t i = 0; i < kept.size(); ++i) expect_same(actual[i], kept[i], path + "[" + std::to_string(i) + "]");
    return;
  }
  EXPECT_EQ(actual, kept) << path;
}

class Example : public ::testing::TestWithParam<std::string> {};

TEST_P(Example, GivesTheKeptResult) {
  ordered_json result = to_json(run_example(GetParam()));
  result.erase("provenance");  // its hash moves with every comment in the catalog
  const fs::path path = kGolden / (GetParam() + ".json");
  if (const char* mode = std::getenv("TRAINSIM_GOLDEN"); mode != nullptr && std::string(mode) == "update") {
    std::ofstream(path) << result.dump(1) << "\n";
    return;
  }
  std::ifstream kept(path);
  ASSERT_TRUE(kept.good()) << path << " is missing: ./dev golden";
  expect_same(result, ordered_json::parse(kept), "");
}

std::string test_name(const ::testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Example, ::testing::ValuesIn(example_names()), test_name);

TEST(SharedCluster, IsSlowerThanTheSameClusterAlone) {
  EXPECT_GT(run_example("shared-leaf-spine-shared").step.time_s,
            1.02 * run_example("shared-leaf-spine-alone").step.time_s);
}

TEST(SharedCluster, FoldedAndUnfoldedAgree) {
  const double folded = run_example("shared-leaf-spine-alone").step.time_s;
  EXPECT_NEAR(run_example("shared-leaf-spine-alone", {"simulation.fold=false"}).step.time_s, folded, 1e-9 * folded);
}

TEST(HybridSharding, OfOneNodeWaitsLessForSlowNicsAndTakesMoreMemory) {
  const Result hybrid = run_example("mpt-7b-hsdp-p4d");
  const Result full = run_example("mpt-7b-hsdp-p4d", {"parallelism.sharding.group=32"});
  EXPECT_GT(full.step.time_s, 1.1 * hybrid.step.time_s);
  EXPECT_LT(full.memory.by_stage.front().total_bytes(), hybrid.memory.by_stage.front().total_bytes());
}

TEST(Prefetch, HidesTheGathersOfFullSharding) {
  EXPECT_LT(run_example("llama-3.1-8b-fsdp-h100").gpu_time.at("exposed_data"), 0.02);
  const Result late = run_example("llama-3.1-8b-fsdp-h100", {"parallelism.overlap.parameter_gather=false"});
  EXPECT_GT(late.gpu_time.at("exposed_data"), 0.05);
}

TEST(RingAttention, HidesItsShiftsOnLongSequencesOnly) {
  EXPECT_LT(run_example("llama-3.1-8b-128k-ring").gpu_time.at("exposed_context"), 0.005);
  const Result shorter = run_example("llama-3.1-8b-128k-ring", {"training.sequence_length=16384"});
  EXPECT_GT(shorter.gpu_time.at("exposed_context"), 0.05);
}

TEST(SkewedExperts, SlowTheStepUnlessTheirCapacityIsBounded) {
  const double skewed = run_example("deepseek-v3-gb200-nvl72").step.time_s;
  EXPECT_GT(skewed, 1.1 * run_example("deepseek-v3-gb200-nvl72", {"model.transformer.moe.skew=0"}).step.time_s);
  EXPECT_GT(skewed,
            1.1 * run_example("deepseek-v3-gb200-nvl72", {"model.transformer.moe.capacity_factor=1.1"}).step.time_s);
}

TEST(Muon, TakesLessTimeWhenRanksShareTheMatrices) {
  const auto share = [](const Result& result) { return result.gpu_time.at("optimizer") * result.step.time_s; };
  EXPECT_LT(share(run_example("llama-3.1-8b-muon-mi300x", {"parallelism.sharding=optimizer"})),
            0.2 * share(run_example("llama-3.1-8b-muon-mi300x")));
}

}  // namespace
}  // namespace trainsim
