#include "scenarios/report/json.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "simulator/accounting/accounting.hpp"
#include "tests/report/sample_result.hpp"

namespace trainsim {
namespace {

using Json = nlohmann::ordered_json;

// Fields of the page that later issues fill in.
const std::set<std::string> kLaterFields = {"provenance.calibration",
                                            "step.interval",
                                            "run.time_to_train_s.p5",
                                            "run.time_to_train_s.p50",
                                            "run.time_to_train_s.p95",
                                            "run.goodput",
                                            "run.lost",
                                            "energy",
                                            "cost"};
// Objects whose keys depend on the scenario; gpu_time's are checked on their own.
const std::set<std::string> kOpenObjects = {"resolved", "gpu_time", "by_stage.0.gpu_time"};

std::string kind_of(const Json& json) { return json.is_number() ? "number" : json.type_name(); }

// Every difference in keys, order and types, one a line.
void compare(const Json& page, const Json& mine, const std::string& path, std::string& differences) {
  if (kind_of(page) != kind_of(mine)) {
    differences += path + ": " + kind_of(mine) + " where the page has " + kind_of(page) + "\n";
    return;
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  if (page.is_array()) {
    if (!page.empty() && !mine.empty()) compare(page[0], mine[0], prefix + "0", differences);
    return;
  }
  if (!page.is_object() || kOpenObjects.contains(path)) return;
  std::vector<std::string> expected, found;
  for (const auto& [key, value] : page.items()) {
    if (mine.contains(key)) {
      expected.push_back(key);
      compare(value, mine[key], prefix + key, differences);
    } else if (!kLaterFields.contains(prefix + key)) {
      differences += prefix + key + ": missing\n";
    }
  }
  for (const auto& [key, value] : mine.items()) found.push_back(key);
  if (expected != found) differences += path + ": keys that the page does not have, or in another order\n";
}

// The example block of the contract page, or null when the page is not there.
Json page_example() {
  std::ifstream page(std::filesystem::path(TRAINSIM_SOURCE_DIR) / "../shared/formats/results.md");
  std::stringstream text;
  text << page.rdbuf();
  const std::string all = text.str();
  const std::size_t begin = all.find("```json\n");
  const std::size_t end = all.find("```", begin == std::string::npos ? begin : begin + 8);
  if (begin == std::string::npos || end == std::string::npos) return nullptr;
  return Json::parse(all.substr(begin + 8, end - begin - 8));
}

TEST(ResultJson, KeysOrderAndTypesAreThoseOfTheResultPage) {
  const Json page = page_example();
  if (page.is_null()) GTEST_SKIP() << "../shared/formats/results.md is not here";
  std::string differences;
  compare(page, to_json(sample_result()), "", differences);
  EXPECT_EQ(differences, "");
}

TEST(ResultJson, NamesOfTheTimePartsAreThoseOfTheResultPage) {
  const Json page = page_example();
  if (page.is_null()) GTEST_SKIP() << "../shared/formats/results.md is not here";
  std::vector<std::string> names;
  for (const auto& [key, value] : page["gpu_time"].items()) names.push_back(key);
  EXPECT_EQ(names, std::vector<std::string>(kLabelNames.begin(), kLabelNames.end()));
}

TEST(ResultJson, PartsOfMemoryAreThoseOfThePeakStageAndSumToThePeak) {
  Result result = sample_result();
  result.memory.peak_stage = 1;
  const Json memory = to_json(result)["memory"];
  EXPECT_EQ(memory["parts_bytes"]["activations"], 2 * 1073741824.0);
  double sum = 0;
  for (const auto& [name, bytes] : memory["parts_bytes"].items()) sum += bytes.get<double>();
  EXPECT_EQ(sum, memory["peak_bytes"].get<double>());
  EXPECT_EQ(memory["by_stage"][0]["peak_bytes"], 61.5 * 1073741824.0);
}

TEST(ResultJson, StepsAreRoundedUpToAWholeNumber) {
  const Json json = to_json(sample_result());
  EXPECT_TRUE(json["run"]["steps"].is_number_integer());
  EXPECT_EQ(json["run"]["steps"], 95368);
}

TEST(ResultJson, WhatDoesNotApplyIsAbsent) {
  const Json json = to_json(sample_result());
  EXPECT_FALSE(json["gpu_time"].contains("offload"));
  EXPECT_FALSE(json.contains("energy"));
  EXPECT_FALSE(json["run"].contains("goodput"));
}

TEST(ResultJson, AFigureThatIsNotFiniteIsRefusedByName) {
  Result result = sample_result();
  result.step.mfu = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { to_json(result); },
              testing::ThrowsMessage<std::runtime_error>("result step.mfu is not a finite number"));
}

TEST(ResultJson, AnUnknownPartOfTheTimeIsRefused) {
  Result result = sample_result();
  result.gpu_time["coffee"] = 0.1;
  EXPECT_THROW(to_json(result), std::invalid_argument);
}

TEST(ResultJson, TheSameResultGivesTheSameBytes) {
  std::ostringstream first, second;
  write_json(first, to_json(sample_result()));
  write_json(second, to_json(sample_result()));
  EXPECT_EQ(first.str(), second.str());
  EXPECT_EQ(first.str().back(), '\n');
  EXPECT_EQ(Json::parse(first.str()), to_json(sample_result()));
}

}  // namespace
}  // namespace trainsim
