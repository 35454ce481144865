// trainsim validate FILE…: replay measured runs and say how far predictions are off.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/cli/temporary_folder.hpp"
#include "scenarios/report/json.hpp"
#include "scenarios/report/output_file.hpp"
#include "scenarios/validation/collective_validation.hpp"
#include "scenarios/validation/kernel_report.hpp"
#include "scenarios/validation/kernel_validation.hpp"
#include "scenarios/validation/memory_validation.hpp"
#include "scenarios/validation/step_report.hpp"
#include "scenarios/validation/step_validation.hpp"
#include "scenarios/validation/validated_kinds.hpp"

namespace trainsim {
namespace {

struct ValidateArguments {
  std::vector<std::string> files;
  bool kernels = false, collectives = false;  // the tables in a folder instead of runs
  bool memory = false;                        // of the runs, without a play
  std::string source;                         // only rows whose source_id begins with it
  std::string format = "table";
  std::optional<std::string> json, csv, page, intervals, scenarios;
  ReplayOptions replay;
};

std::vector<TrainingRow> selected_rows(const ValidateArguments& arguments) {
  std::vector<TrainingRow> rows;
  const auto read = arguments.memory ? read_untimed_rows : read_training_rows;
  for (const std::string& file : arguments.files) std::ranges::move(read(file), std::back_inserter(rows));
  std::erase_if(rows, [&](const TrainingRow& row) { return !row.source().starts_with(arguments.source); });
  return rows;
}

void print_table(const std::vector<SourceErrors>& sources, const std::vector<TrainingRow>& rows,
                 const std::vector<RowOutcome>& outcomes) {
  write_file("-", [&](std::ostream& out) {
    out << step_table(sources) << "\n"
        << worst_table(sources) << "\n"
        << lacks_list(rows, outcomes) << failures_list(rows, outcomes, true);
  });
}

// As text or as JSON.
void report(const ValidateArguments& arguments, const std::string& text, const nlohmann::ordered_json& json) {
  if (arguments.json) write_file(*arguments.json, [&](std::ostream& out) { write_json(out, json); });
  if (arguments.json == "-") return;
  write_file("-", [&](std::ostream& out) {
    if (arguments.format == "json") {
      write_json(out, json);
    } else {
      out << text;
    }
  });
}

// The tables of kernels or of collectives that the named folder holds.
int validate_tables(const ValidateArguments& arguments) {
  if (arguments.files.size() > 1) {
    throw InputError({{{arguments.files[1], 0, 0}, "", "is a second folder of tables", "one"}});
  }
  const std::string& folder = arguments.files.front();
  if (arguments.kernels) {
    const KernelValidation kernels = validate_kernels(folder);
    report(arguments, kernel_table(kernels) + "\n" + worst_kernels_table(kernels), kernel_json(kernels));
  } else {
    const CollectiveValidation collectives = validate_collectives(folder);
    report(arguments, collective_table(collectives), collective_json(collectives));
  }
  return kDone;
}

std::filesystem::path scenario_folder(const ValidateArguments& arguments, const TemporaryFolder& temporary) {
  return arguments.scenarios ? std::filesystem::path(*arguments.scenarios) : temporary.path();
}

int validate_memory(const ValidateArguments& arguments) {
  const std::vector<TrainingRow> rows = selected_rows(arguments);
  for (const auto& path : {arguments.json, arguments.csv}) {
    if (path) check_writable(*path);
  }
  const TemporaryFolder temporary("trainsim-validate");
  const auto outcomes = memory_of(rows, arguments.replay, scenario_folder(arguments, temporary));
  const auto sources = memory_by_source(rows, outcomes);
  if (arguments.csv) write_file(*arguments.csv, [&](std::ostream& out) { out << memory_csv(rows, outcomes); });
  if (arguments.csv == "-") return kDone;
  report(arguments, memory_table(sources), memory_json(sources));
  return kDone;
}

int validate(const ValidateArguments& arguments) {
  if (arguments.kernels || arguments.collectives) return validate_tables(arguments);
  if (arguments.memory) return validate_memory(arguments);
  const std::vector<TrainingRow> rows = selected_rows(arguments);
  for (const auto& path : {arguments.json, arguments.csv, arguments.page, arguments.intervals}) {
    if (path) check_writable(*path);
  }
  const TemporaryFolder temporary("trainsim-validate");
  const auto outcomes = replay(rows, arguments.replay, scenario_folder(arguments, temporary));
  const auto sources = errors_by_source(rows, outcomes);
  const auto json = step_json(sources, rows, outcomes);
  if (arguments.json) write_file(*arguments.json, [&](std::ostream& out) { write_json(out, json); });
  if (arguments.csv) write_file(*arguments.csv, [&](std::ostream& out) { out << outcomes_csv(rows, outcomes); });
  if (arguments.page) write_file(*arguments.page, [&](std::ostream& out) { out << validation_page(sources); });
  if (arguments.intervals) {
    const auto kinds = kinds_of(rows, outcomes);
    const auto [runs, inside] = coverage(rows, outcomes, kinds);
    spdlog::info("{} of {} runs lie inside their intervals", inside, runs);
    write_file(*arguments.intervals, [&](std::ostream& out) { out << validated_yaml(kinds); });
  }
  if (arguments.format == "json") {
    write_file("-", [&](std::ostream& out) { write_json(out, json); });
  } else if (arguments.json != "-" && arguments.csv != "-") {
    print_table(sources, rows, outcomes);
  }
  return kDone;
}

// Tables in place of runs; what is said of runs then means nothing.
void add_tables(CLI::App& command, ValidateArguments& arguments) {
  CLI::Option* kernels = command.add_flag("--kernels", arguments.kernels,
                                          "FILE is a folder of kernel tables: the error by operation and accelerator");
  CLI::Option* collectives =
      command
          .add_flag("--collectives", arguments.collectives,
                    "FILE is a folder of tables of collectives: the error by collective and machine")
          ->excludes(kernels);
  CLI::Option* memory = command
                            .add_flag("--memory", arguments.memory,
                                      "Memory alone, without a play: which plans fit, and printed peaks; FILE may hold "
                                      "runs that failed")
                            ->excludes(kernels)
                            ->excludes(collectives);
  for (const char* name : {"--page", "--intervals"}) memory->excludes(command.get_option(name));
  for (const char* name : {"--source", "--set", "--csv", "--page", "--intervals", "--scenarios"}) {
    for (CLI::Option* tables : {kernels, collectives}) tables->excludes(command.get_option(name));
  }
}

}  // namespace

void add_validate_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("validate", "Replay measured runs: how far predictions are off, by source");
  const auto arguments = std::make_shared<ValidateArguments>();
  arguments->replay.jobs = std::max(1U, std::thread::hardware_concurrency());
  command->add_option("FILE", arguments->files, "Measured runs (CSV: docs/validation.md)")->required()->type_name("");
  command->add_option("--source", arguments->source, "Only sources whose name begins so")->type_name("NAME");
  command->add_option("--set", arguments->replay.overrides, "Override one value of every scenario; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("-j,--jobs", arguments->replay.jobs, "Plays at once (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  command->add_option("--max-events", arguments->replay.max_events, "Skip plays predicted to take more events")
      ->option_text("N");
  command->add_option("--json", arguments->json, "Write errors and rows as JSON")->type_name("PATH");
  command->add_option("--csv", arguments->csv, "Write a line for each replayed row")->type_name("PATH");
  command->add_option("--page", arguments->page, "Write both tables as a page of the documentation")->type_name("PATH");
  command->add_option("--intervals", arguments->intervals, "Write the errors that intervals of predictions rest on")
      ->type_name("PATH");
  command->add_option("--scenarios", arguments->scenarios, "Keep the scenario files in this folder")
      ->type_name("FOLDER");
  command->add_option("--format", arguments->format, "What standard output shows: table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->option_text("table|json");
  add_tables(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return validate(*arguments); }; });
}

}  // namespace trainsim
