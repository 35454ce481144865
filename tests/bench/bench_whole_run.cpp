// bench_whole_run [--huge]: what a whole run takes, from the start of the program to its exit. One table of all shipped
// examples, one of how a 405B model on ever more GPUs grows: folding is to keep events flat while the machine grows, so
// time and memory are to grow slower than it. --huge goes on to 131,072 GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/report/figures.hpp"
#include "tests/bench/measured_run.hpp"
#include "tests/bench/yardstick.hpp"

namespace trainsim {
namespace {

namespace fs = std::filesystem;
using Row = std::vector<std::string>;

constexpr int kTimes = 3;  // runs, of which the fastest counts
const fs::path kExamples = TRAINSIM_EXAMPLES;

// The first column to the left, figures to the right; the first row is the head.
void print_table(const std::string& title, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  fmt::print("{}\n", title);
  for (const Row& row : rows) {
    fmt::print("  {:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i < row.size(); ++i) fmt::print("  {:>{}}", row[i], widths[i]);
    fmt::print("\n");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

std::vector<fs::path> example_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kExamples)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

double fastest_yardstick_s() {
  double fastest = seconds_of(apply_yardstick);
  for (int i = 0; i < 20; ++i) fastest = std::min(fastest, seconds_of(apply_yardstick));
  return fastest;
}

void print_examples() {
  const double yardstick_s = fastest_yardstick_s();
  std::vector<Row> rows = {{"scenario", "GPUs", "classes", "events", "wall", "/ yardstick", "memory", "events/s"}};
  for (const fs::path& file : example_files()) {
    const MeasuredRun run = fastest_run(file, {}, kTimes);
    rows.push_back({file.stem().string(), grouped(run.gpus), grouped(run.rank_classes), grouped(run.activities),
                    duration(run.wall_s), fmt::format("{:.1f}", run.wall_s / yardstick_s), mebibytes(run.peak_bytes),
                    grouped(static_cast<std::int64_t>(run.activities_per_s()))});
  }
  print_table(fmt::format("WHOLE RUNS, the fastest of {}; the yardstick takes {}", kTimes, duration(yardstick_s)),
              rows);
}

// The 405B example with `data` replicas of 128 GPUs in 16 nodes. The work of a replica stays the same.
MeasuredRun run_of_replicas(int data) {
  constexpr int kNodes = 16, kSequences = 16;
  return fastest_run(kExamples / "llama-3.1-405b-16384-h100.yaml",
                     {fmt::format("parallelism.data={}", data), fmt::format("cluster.nodes={}", kNodes * data),
                      fmt::format("training.global_batch_size={}", kSequences * data)},
                     kTimes);
}

std::string ratio(double value, double first) { return fmt::format("x{:.2f}", value / first); }
std::string ratio(std::int64_t value, std::int64_t first) {
  return ratio(static_cast<double>(value), static_cast<double>(first));
}

void print_growth(bool is_huge) {
  std::vector<int> replicas = {8, 16, 32, 64, 128};
  if (is_huge) replicas.insert(replicas.end(), {256, 512, 1024});
  std::vector<Row> rows = {
      {"GPUs", "ratio", "classes", "ratio", "events", "ratio", "wall", "ratio", "memory", "ratio"}};
  MeasuredRun first;
  for (const int data : replicas) {
    const MeasuredRun run = run_of_replicas(data);
    if (first.gpus == 0) first = run;
    rows.push_back({grouped(run.gpus), ratio(run.gpus, first.gpus), grouped(run.rank_classes),
                    ratio(run.rank_classes, first.rank_classes), grouped(run.activities),
                    ratio(run.activities, first.activities), duration(run.wall_s), ratio(run.wall_s, first.wall_s),
                    mebibytes(run.peak_bytes), ratio(run.peak_bytes, first.peak_bytes)});
  }
  print_table("GROWTH of llama-3.1-405b with its data parallelism, each figure over that of the first row", rows);
}

// Options of the other programs that `./dev bench` runs with the same arguments are passed over.
int run_benchmark(const std::vector<std::string_view>& arguments) {
  bool is_huge = false;
  for (const std::string_view argument : arguments) {
    if (argument == "--huge") {
      is_huge = true;
    } else if (!argument.starts_with("--benchmark_")) {
      fmt::print(stderr, "bench_whole_run: no such option: {}\nUsage: bench_whole_run [--huge]\n", argument);
      return 2;
    }
  }
  print_examples();
  print_growth(is_huge);
  return 0;
}

}  // namespace
}  // namespace trainsim

int main(int argc, char** argv) {
  try {
    return trainsim::run_benchmark({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_whole_run: {}\n", error.what());
    return 1;
  }
}
