// The command line: parse, do the one thing asked for, turn every outcome into a message and an exit status.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <ostream>
#include <sstream>
#include <string>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/cli/surroundings.hpp"
#include "scenarios/report/figures.hpp"
#include "scenarios/report/output_file.hpp"
#include "scenarios/report/version.hpp"
#include "simulator/input/input_error.hpp"

namespace trainsim {
namespace {

void print_error(const std::string& line) { fmt::print(stderr, "{}\n", line); }

// Help, version and complaints about options.
int answer_parser(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, complaint;
  const bool is_fault = app.exit(error, out, complaint) != 0;
  if (is_fault) {
    fmt::print(stderr, "{}", complaint.str());
    return kBadInput;
  }
  write_file("-", [&](std::ostream& stream) { stream << out.str(); });
  return kDone;
}

int parse_and_act(int argc, char** argv) {
  CLI::App app("Answers how long a training run takes on a cluster, and what the GPUs' time is lost to.", "trainsim");
  app.set_version_flag("--version", fmt::format("trainsim {} (scenario format {}, SimGrid {})", version(),
                                                kFormatVersion, simgrid_version()));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  trainsim run scenario.yaml\n"
      "  trainsim run scenario.yaml --set parallelism.tensor=4 --json result.json --trace trace.json\n"
      "Exit status: 0 done; 1 done, and the plan does not fit; 2 the input is wrong; 3 a result could not be written;\n"
      "70 an internal error.");
  Action chosen;
  add_run_command(app, chosen);
  add_check_command(app, chosen);
  add_list_command(app, chosen);
  add_show_command(app, chosen);
  add_validate_command(app, chosen);
  add_calibrate_command(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer_parser(app, error);
  }
  return chosen();
}

int guarded(int argc, char** argv) {
  try {
    return parse_and_act(argc, argv);
  } catch (const InputError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) print_error(diagnostic.text());
    return kBadInput;
  } catch (const WriteError& error) {
    // Whoever closed the pipe (`| head`) knows.
    if (error.error_number() != EPIPE) print_error(printable(error.what()));
    return kNotWritten;
  } catch (const std::exception& error) {
    print_error("trainsim: internal error: " + printable(error.what()));
    return kInternalError;
  }
}

}  // namespace
}  // namespace trainsim

int main(int argc, char** argv) {
  trainsim::reserve_standard_streams();
  trainsim::install_signal_handlers();
  trainsim::set_up_log();
  return trainsim::guarded(argc, argv);
}
