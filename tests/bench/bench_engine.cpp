// bench_engine [--benchmark_filter=REGEX …]: the stages of a run one by one, in the order in which run_scenario takes
// them. Each stage is timed in turn with the yardstick; the counter `relative` is its time over the yardstick's, the
// figure to compare between versions: seconds differ from machine to machine. Times are CPU time with the child that
// plays, which waiting for a busy machine does not lengthen; the column CPU leaves out that child.
// (Debian's Google Benchmark calls itself a debug build; nothing of it is in what is timed.)
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/network.hpp"
#include "simulator/accounting/accounting.hpp"
#include "simulator/cost/cost.hpp"
#include "simulator/engine/play.hpp"
#include "tests/bench/yardstick.hpp"
#include "workloads/build_program.hpp"

namespace trainsim {
namespace {

// What the stages of one example read: each stage's input is kept, so that it can be repeated alone.
struct Stages {
  std::filesystem::path file;
  ResolvedScenario scenario;
  Network network;
  Play play;
  Timeline timeline;

  [[nodiscard]] ResolvedScenario read_and_resolve() const { return resolve(read_scenario(file)); }
  [[nodiscard]] Program program() const {
    return build_program(scenario.scenario.model, scenario.plan, scenario.stack.kernels);
  }
  [[nodiscard]] Accounting accounting() const { return account({play.program, play.work_s, play.quotient, timeline}); }
};

// REQUIRES: an example without conditions, whose play needs no tenants.
std::shared_ptr<const Stages> prepare(const std::string& name) {
  auto stages = std::make_shared<Stages>();
  stages->file = std::filesystem::path(TRAINSIM_EXAMPLES) / (name + ".yaml");
  stages->scenario = stages->read_and_resolve();
  const ResolvedScenario& scenario = stages->scenario;
  const CostModel cost(scenario.scenario.cluster.node.accelerator, scenario.efficiency, scenario.stack,
                       scenario.scenario.software.tuning, scenario.plan.precision);
  Play& play = stages->play;
  play.program = stages->program();
  for (const Work& work : play.program.works) play.work_s.push_back(cost.seconds(work));
  stages->network = build_network(scenario, play.program);
  play.quotient = fold(stages->network);
  stages->timeline = trainsim::play(play);
  return stages;
}

// Of this process and of its children that have ended.
double cpu_seconds() {
  double seconds = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
    }
  }
  return seconds;
}

template <class Action>
double cpu_seconds_of(const Action& action) {
  const double begin = cpu_seconds();
  action();
  return cpu_seconds() - begin;
}

// Of both the fastest, which is the least disturbed. The yardstick follows the stage until it has taken as long, so
// that both see the same machine and neither starves the other.
template <class Stage>
void time_beside_yardstick(benchmark::State& state, const Stage& stage) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double stage_s = 0.0, fastest_stage_s = kNever, yardstick_s = 0.0, fastest_yardstick_s = kNever;
  for (auto _ : state) {
    const double took_s = cpu_seconds_of([&] { benchmark::DoNotOptimize(stage()); });
    state.SetIterationTime(took_s);
    state.PauseTiming();
    stage_s += took_s;
    fastest_stage_s = std::min(fastest_stage_s, took_s);
    do {
      const double beside_s = cpu_seconds_of(apply_yardstick);
      yardstick_s += beside_s;
      fastest_yardstick_s = std::min(fastest_yardstick_s, beside_s);
    } while (yardstick_s < stage_s);
    state.ResumeTiming();
  }
  state.counters["relative"] = fastest_stage_s / fastest_yardstick_s;
}

template <class Stage>
void add_stage(const std::string& name, const Stage& stage) {
  benchmark::RegisterBenchmark(name.c_str(), [stage](benchmark::State& state) { time_beside_yardstick(state, stage); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void add_stages(const std::string& example) {
  const std::shared_ptr<const Stages> stages = prepare(example);
  add_stage(example + "/read_and_resolve", [stages] { return stages->read_and_resolve(); });
  add_stage(example + "/build_program", [stages] { return stages->program(); });
  add_stage(example + "/build_network", [stages] { return build_network(stages->scenario, stages->play.program); });
  add_stage(example + "/fold", [stages] { return fold(stages->network); });
  add_stage(example + "/play", [stages] { return play(stages->play); });
  add_stage(example + "/account", [stages] { return stages->accounting(); });
}

// `./dev bench` gives all programs the same arguments: --huge is bench_whole_run's.
bool has_unknown_option(int argc, char** argv) {
  argc = static_cast<int>(std::remove(argv + 1, argv + argc, std::string_view("--huge")) - argv);
  return benchmark::ReportUnrecognizedArguments(argc, argv);
}

int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (has_unknown_option(argc, argv)) return 2;
  add_stages("gpt3-175b-selene");
  add_stages("llama-3.1-405b-16384-h100");
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace trainsim

int main(int argc, char** argv) {
  try {
    return trainsim::run_benchmarks(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_engine: %s\n", error.what());
    return 1;
  }
}
