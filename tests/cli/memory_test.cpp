// The memory section of a result, as its page defines it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_line.hpp"

namespace trainsim {
namespace {

using Json = nlohmann::json;

// Two chunks on each of two stages, so only some sizes are allowed; 24 sequences per data-parallel rank.
constexpr const char* kPipeline = R"(trainsim: 1
name: pipeline
model:
  transformer: {layers: 8, hidden_size: 1024, attention_heads: 16, vocab_size: 32000}
training: {global_batch_size: 24, micro_batch_size: 1, sequence_length: 1024, precision: bf16}
parallelism: {pipeline: 2, virtual_stages: 2}
cluster: {gpus: 2, node: hgx-a100-80g}
)";

class Memory : public CommandLine {
 protected:
  Memory() { write("pipeline.yaml", kPipeline); }

  [[nodiscard]] Outcome run(const std::string& micro_batch, const std::string& memory) const {
    const std::string node =
        "cluster.node={base: hgx-a100-80g, accelerator: {base: a100-sxm-80g, memory: " + memory + "}}";
    return trainsim(
        {"run", "pipeline.yaml", "--json", "-", "--set", "training.micro_batch_size=" + micro_batch, "--set", node});
  }

  // By running each size: status 2 is a size that is refused, 1 one that does not fit.
  [[nodiscard]] int largest_that_fits(const std::string& memory) const {
    int largest = 0;
    for (int size = 1; size <= 24; ++size) {
      if (run(std::to_string(size), memory).status == 0) largest = size;
    }
    return largest;
  }
};

TEST_F(Memory, PartsSumToThePeak) {
  const Json memory = Json::parse(run("2", "80GB").out)["memory"];
  double sum = 0;
  double highest = 0;
  for (const auto& [name, bytes] : memory["parts_bytes"].items()) sum += bytes.get<double>();
  for (const Json& stage : memory["by_stage"]) highest = std::max(highest, stage["peak_bytes"].get<double>());
  EXPECT_NEAR(sum, memory["peak_bytes"].get<double>(), 1.0);
  EXPECT_EQ(memory["peak_bytes"], highest);
}

class MemoryOf : public Memory, public testing::WithParamInterface<const char*> {};

TEST_P(MemoryOf, LargestMicroBatchIsTheLargestThatRunsAndFits) {
  const Json memory = Json::parse(run("1", GetParam()).out)["memory"];
  EXPECT_EQ(memory["largest_micro_batch"], largest_that_fits(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(AnAccelerator, MemoryOf, testing::Values("3GB", "5GB", "8GB", "20GB"));

}  // namespace
}  // namespace trainsim
