// trainsim run FILE: play the scenario and report.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/cli/scenario_arguments.hpp"
#include "scenarios/cli/surroundings.hpp"
#include "scenarios/report/figures.hpp"
#include "scenarios/report/json.hpp"
#include "scenarios/report/output_file.hpp"
#include "scenarios/report/table.hpp"
#include "scenarios/report/trace.hpp"
#include "scenarios/run/run.hpp"

namespace trainsim {
namespace {

constexpr std::string_view kStandardOutput = "-";
constexpr std::uint64_t kMostEvents = 1'000'000'000'000;  // days of playing

struct RunArguments {
  ScenarioArguments scenario;
  std::optional<std::string> json, trace, timings;  // paths; "-" is standard output
  std::string format = "table";
  std::optional<std::string> seed, steps;  // as written: the scenario's own rules apply
  std::uint64_t max_events = RunOptions{}.max_events;
  bool is_unfolded = false, is_quiet = false, is_verbose = false;
};

struct Timings {
  double wall_s = 0.0;
  std::uint64_t events = 0;
  std::uint64_t peak_rss_bytes = 0;
};

// Of this process or of the child that played, whichever is larger.
std::uint64_t peak_rss_bytes() {
  std::uint64_t peak = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage {};
    if (::getrusage(who, &usage) == 0) peak = std::max(peak, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U);
  }
  return peak;
}

// Options that stand for values of the scenario become overrides, so that the resolved scenario shows them.
ScenarioArguments with_options(const RunArguments& arguments) {
  ScenarioArguments scenario = arguments.scenario;
  if (arguments.seed) scenario.overrides.push_back(fmt::format("simulation.seed={}", *arguments.seed));
  if (arguments.steps) scenario.overrides.push_back(fmt::format("simulation.steps={}", *arguments.steps));
  if (arguments.is_unfolded) scenario.overrides.emplace_back("simulation.fold=false");
  return scenario;
}

// Whether writing to `path` would overwrite `other`.
bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code ignored;
  return path != kStandardOutput && (path == other || std::filesystem::equivalent(path, other, ignored));
}

// A long play is not worth starting when its answer has nowhere to go, and no answer may replace the question or
// another answer.
void check_outputs(const RunArguments& arguments) {
  std::vector<std::string> taken = {arguments.scenario.file};
  for (const auto& path : {arguments.json, arguments.trace, arguments.timings}) {
    if (!path) continue;
    for (const std::string& other : taken) {
      if (is_same_file(*path, other)) {
        throw InputError({{{*path, 0, 0}, "", "would be overwritten", "a path of its own for each output"}});
      }
    }
    check_writable(*path);
    taken.push_back(*path);
  }
}

bool prints_report(const RunArguments& arguments) {
  const auto is_stdout = [](const std::optional<std::string>& path) { return path == kStandardOutput; };
  return !arguments.is_quiet && !is_stdout(arguments.json) && !is_stdout(arguments.trace) &&
         !is_stdout(arguments.timings);
}

void write_outputs(const RunArguments& arguments, const RunOutput& output, const Timings& timings) {
  const nlohmann::ordered_json json = to_json(output.result);
  if (arguments.json) write_file(*arguments.json, [&](std::ostream& out) { write_json(out, json); });
  if (arguments.trace) {
    write_file(*arguments.trace, [&](std::ostream& out) {
      write_trace(out, {output.timeline, output.program, output.names});
    });
  }
  if (arguments.timings) {
    const nlohmann::ordered_json figures = {
        {"wall_s", timings.wall_s}, {"events", timings.events}, {"peak_rss_bytes", timings.peak_rss_bytes}};
    write_file(*arguments.timings, [&](std::ostream& out) { write_json(out, figures); });
  }
  if (!prints_report(arguments)) return;
  write_file("-", [&](std::ostream& out) {
    if (arguments.format == "json") {
      write_json(out, json);
    } else {
      out << render_table(output.result, {wants_colour()});
    }
  });
}

int run(const RunArguments& arguments) {
  set_verbosity(arguments.is_quiet ? Verbosity::quiet : arguments.is_verbose ? Verbosity::verbose : Verbosity::normal);
  const auto start = std::chrono::steady_clock::now();
  const ResolvedScenario scenario = load_scenario(with_options(arguments));
  check_outputs(arguments);
  spdlog::debug("playing {}: {} GPUs, {} links", printable(scenario.scenario.name), grouped(scenario.plan.ranks()),
                grouped(static_cast<std::int64_t>(scenario.topology.link_count())));
  RunOptions options;
  options.fold = scenario.scenario.simulation.fold;
  options.max_events = arguments.max_events;
  options.keep_timeline = arguments.trace.has_value();
  const RunOutput output = run_scenario(scenario, options);

  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const Timings timings{wall.count(), output.result.simulation.activities, peak_rss_bytes()};
  write_outputs(arguments, output, timings);
  if (!prints_report(arguments) || arguments.format == "json") {
    for (const std::string& note : output.result.notes) spdlog::info("note: {}", printable(note));
  }
  spdlog::info("played {} events in {}, {} of memory at most", grouped(static_cast<std::int64_t>(timings.events)),
               duration(timings.wall_s), mebibytes(static_cast<double>(timings.peak_rss_bytes)));
  return output.result.memory.fits ? kDone : kDoesNotFit;
}

void add_outputs(CLI::App& command, RunArguments& arguments) {
  constexpr const char* kGroup = "Output (- is standard output)";
  command.add_option("--json", arguments.json, "Write the result as JSON")->type_name("PATH")->group(kGroup);
  command.add_option("--trace", arguments.trace, "Write a Chrome trace for ui.perfetto.dev")
      ->type_name("PATH")
      ->group(kGroup);
  command.add_option("--timings", arguments.timings, "Write what the simulation itself took, as JSON")
      ->type_name("PATH")
      ->group(kGroup);
  command.add_option("--format", arguments.format, "What standard output shows: table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->option_text("table|json")
      ->group(kGroup);
  CLI::Option* quiet = command
                           .add_flag("-q,--quiet", arguments.is_quiet,
                                     "Print nothing but errors; the outputs that are named are written")
                           ->group(kGroup);
  command.add_flag("-v,--verbose", arguments.is_verbose, "Log what is being done")->excludes(quiet)->group(kGroup);
}

// Two results in one stream would be neither.
void refuse_shared_standard_output(const RunArguments& arguments) {
  int count = 0;
  for (const auto& path : {arguments.json, arguments.trace, arguments.timings})
    count += path == kStandardOutput ? 1 : 0;
  if (count > 1) throw CLI::ValidationError("only one of --json, --trace and --timings can be - (standard output)");
}

}  // namespace

void add_run_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scenario: memory, step time, where the GPUs' time goes");
  const auto arguments = std::make_shared<RunArguments>();
  add_scenario_arguments(*command, arguments->scenario);
  add_outputs(*command, *arguments);
  constexpr const char* kGroup = "Simulation";
  command->add_option("--seed", arguments->seed, "Same as --set simulation.seed=N")->type_name("N")->group(kGroup);
  command->add_option("--steps", arguments->steps, "Same as --set simulation.steps=N: measured steps")
      ->type_name("N")
      ->group(kGroup);
  command->add_flag("--no-fold", arguments->is_unfolded, "Play every rank instead of one per class of equal ranks")
      ->group(kGroup);
  command->add_option("--max-events", arguments->max_events, "Refuse a play that is predicted to take more events")
      ->check(CLI::Range(std::uint64_t{1}, kMostEvents))
      ->option_text(fmt::format("N (default {})", RunOptions{}.max_events))
      ->group(kGroup);
  command->callback([arguments, &chosen] {
    refuse_shared_standard_output(*arguments);
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace trainsim
