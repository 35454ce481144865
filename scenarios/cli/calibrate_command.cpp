// trainsim calibrate FILE: fit catalog figures to measurements and write the catalog file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/calibration/step_calibration.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/cli/temporary_folder.hpp"
#include "scenarios/report/output_file.hpp"
#include "simulator/input/input_error.hpp"

namespace trainsim {
namespace {

struct CalibrateArguments {
  std::string file, source, write = "-";
  CalibrationRequest request;
};

std::string percent_of(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string outcome_text(const StepCalibration& result) {
  std::string text = fmt::format("# {} runs: mean absolute error {} before, {} after (median {}, 90th percentile {})\n",
                                 result.after.n, percent_of(result.before.mean), percent_of(result.after.mean),
                                 percent_of(result.after.median), percent_of(result.after.p90));
  for (const LeftOut& left : result.left_out) {
    text += fmt::format("# {} groups of equal {} left out in turn: {} on those left out\n", left.groups, left.column,
                        percent_of(left.errors.mean));
  }
  return text;
}

int calibrate(CalibrateArguments& arguments) {
  std::vector<TrainingRow> rows = read_training_rows(arguments.file);
  std::erase_if(rows, [&](const TrainingRow& row) { return !row.source().starts_with(arguments.source); });
  check_writable(arguments.write);
  const TemporaryFolder temporary("trainsim-calibrate");
  arguments.request.folder = temporary.path();
  StepCalibration result;
  try {
    result = calibrate_steps(rows, arguments.request,
                             [](double mean) { spdlog::info("mean absolute error {}", percent_of(mean)); });
  } catch (const std::invalid_argument& fault) {
    throw InputError({{{arguments.file, 0, 0}, "", fault.what(), "more rows that say enough, or fewer --fit"}});
  }
  const std::string origin = fmt::format("fitted to {} measured runs, mean absolute error {} (trainsim calibrate)",
                                         result.after.n, percent_of(result.after.mean));
  write_file(arguments.write, [&](std::ostream& out) {
    out << outcome_text(result)
        << stack_file_text(arguments.request.base, arguments.request.base + ", calibrated", result.figures, origin);
  });
  return kDone;
}

std::vector<std::string> figure_paths() {
  std::vector<std::string> paths;
  for (const StackFigure& figure : stack_figures()) paths.push_back(figure.path);
  return paths;
}

}  // namespace

void add_calibrate_command(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("calibrate", "Fit figures of a software stack to measured runs and write its file");
  const auto arguments = std::make_shared<CalibrateArguments>();
  CalibrationRequest& request = arguments->request;
  request.replay.jobs = std::max(1U, std::thread::hardware_concurrency());
  request.paths = {"efficiency.matmul_factor", "host.per_kernel", "host.per_step"};
  command->add_option("FILE", arguments->file, "Measured runs (CSV: docs/calibration.md)")->required()->type_name("");
  command->add_option("--source", arguments->source, "Only sources whose name begins so")->type_name("NAME");
  command->add_option("--stack", request.base, "The stack to start from")
      ->check(CLI::IsMember(stack_names()))
      ->option_text("NAME (default " + request.base + ")");
  command->add_option("--fit", request.paths, "A figure to fit; repeatable")
      ->check(CLI::IsMember(figure_paths()))
      ->allow_extra_args(false)
      ->option_text("PATH (default " + fmt::format("{}", fmt::join(request.paths, ", ")) + ")");
  command->add_option("--set", request.replay.overrides, "Override one value of every scenario; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("-j,--jobs", request.replay.jobs, "Plays at once (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  command->add_option("--max-events", request.replay.max_events, "Skip plays predicted to take more events")
      ->option_text("N");
  command->add_option("--write", arguments->write, "Where the stack file goes; - is standard output")
      ->option_text("PATH (default -)");
  command->callback([arguments, &chosen] { chosen = [arguments] { return calibrate(*arguments); }; });
}

}  // namespace trainsim
