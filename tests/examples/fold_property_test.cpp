// Folding is exact: random small scenarios, with all that disturbs a run, give the same step time and the same time
// split folded and rank by rank.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/run.hpp"

namespace trainsim {
namespace {

class RandomScenario {
 public:
  explicit RandomScenario(unsigned seed) : random_(seed) {}

  std::string yaml() {
    const int nodes = pick<int>({1, 2, 3, 4});
    const std::string tensor = pick<std::string>({"1", "2", "4"});
    std::string text =
        "trainsim: 1\nmodel: {transformer: {layers: 4, hidden_size: 512, attention_heads: 8, "
        "vocab_size: 1024" +
        pick<std::string>({"", "", ", moe: {experts: 8, top_k: 2, expert_ffn_hidden_size: 512}"}) + "}}\n";
    text += "training: {global_batch_size: " + std::to_string(48 * nodes) +
            ", micro_batch_size: 1, sequence_length: 256, precision: fp16}\n";
    text += "parallelism: {tensor: " + tensor + ", pipeline: " + pick<std::string>({"1", "2"}) +
            ", context: " + pick<std::string>({"1", "1", "2"}) +
            ", context_kind: " + pick<std::string>({"ring", "ulysses"}) +
            ", expert: " + pick<std::string>({"1", "1", "2", "4"}) +
            ", sharding: " + pick<std::string>({"none", "optimizer", "full", "{kind: full, group: 2}"}) +
            ", overlap: {gradient_reduce: " + pick<std::string>({"true", "false"}) + ", bucket: 4MB}}\n";
    text += "cluster: {nodes: " + std::to_string(nodes) +
            ", node: {base: " + pick<std::string>({"hgx-a100-80g", "hgx-h100", "pcie-8x-a10g"}) +
            "}, fabric: {kind: leaf-spine, nodes: 12, leaf_ports: " + pick<std::string>({"16", "24"}) +
            ", oversubscription: " + pick<std::string>({"1", "3"}) +
            "}, placement: " + pick<std::string>({"packed", "scattered"}) + "}\n";
    text += "conditions:\n  stragglers: [" + pick<std::string>({"", "{gpu: 3, speed: 0.8}"}) + "]\n  tenants: [" +
            pick<std::string>(
                {"", "{name: t, nodes: 3, placement: scattered, traffic: {kind: all-reduce, bytes: 20MB, every: 2ms}}",
                 "{name: s, share: 0.3, of: spine, busy: 5ms, quiet: 10ms}", "{name: c, share: 0.4, of: spine}"}) +
            "]\n";
    text += "software: {collectives: {algorithm: " + pick<std::string>({"auto", "auto", "ring", "tree", "collnet"}) +
            ", protocol: " + pick<std::string>({"auto", "auto", "LL", "LL128", "Simple"}) +
            ", in_network: " + pick<std::string>({"true", "false"}) + "}}\n";
    return text + "simulation: {steps: 3}\n";
  }

 private:
  template <class T>
  T pick(std::vector<T> choices) {
    return choices[random_() % choices.size()];
  }
  std::mt19937 random_;
};

// nullopt where the draw makes no valid scenario (more stages than GPUs allow, no spine).
std::optional<Result> run(const std::filesystem::path& path, const std::string& fold) {
  try {
    return run_scenario(resolve(read_scenario(path, {"simulation.fold=" + fold})), {}).result;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST(Folding, GivesTheAnswerOfTheUnfoldedPlay) {
  const auto path = std::filesystem::temp_directory_path() / ("trainsim-fold-" + std::to_string(::getpid()) + ".yaml");
  int compared = 0;
  int folded_something = 0;
  for (unsigned seed = 1; seed <= 120; ++seed) {
    const std::string yaml = RandomScenario(seed).yaml();
    std::ofstream(path) << yaml;
    const auto folded = run(path, "true");
    const auto unfolded = run(path, "false");
    ASSERT_EQ(folded.has_value(), unfolded.has_value()) << yaml;
    if (!folded) continue;
    ++compared;
    folded_something += folded->simulation.rank_classes < unfolded->simulation.rank_classes ? 1 : 0;
    EXPECT_NEAR(folded->step.time_s / unfolded->step.time_s, 1.0, 1e-9) << yaml;
    EXPECT_EQ(folded->bottleneck.resource, unfolded->bottleneck.resource) << yaml;
    for (const auto& [part, share] : unfolded->gpu_time)
      EXPECT_NEAR(folded->gpu_time.at(part), share, 1e-9) << part << "\n" << yaml;
  }
  std::filesystem::remove(path);
  EXPECT_GE(compared, 50);
  EXPECT_GE(folded_something, 25);
}

}  // namespace
}  // namespace trainsim
