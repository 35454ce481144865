// trainsim_rows: turns the published training runs into scenario files, and says which of them resolve and run.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>

#include "scenarios/report/output_file.hpp"
#include "tests/validation/row_report.hpp"

namespace trainsim {
namespace {

struct Arguments {
  std::string runs = training_runs_path().string();
  std::string source;  // only those whose source_id begins with it
  std::optional<std::string> out, csv;
  RowCheck check;
};

// A folder that goes with the program.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() / fmt::format("trainsim_rows_{}", static_cast<int>(::getpid()))) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::vector<TrainingRow> selected_rows(const Arguments& arguments) {
  std::vector<TrainingRow> rows = read_training_rows(arguments.runs);
  std::erase_if(rows, [&](const TrainingRow& row) { return !row.is_from(arguments.source); });
  return rows;
}

void report(const Arguments& arguments) {
  const std::vector<TrainingRow> rows = selected_rows(arguments);
  const TemporaryFolder temporary;
  const auto folder = arguments.out ? std::filesystem::path(*arguments.out) : temporary.path();
  const auto outcomes = check_rows(rows, arguments.check, folder);
  fmt::print("{}\n{}\n{}", sources_table(rows, outcomes), lacks_list(rows, outcomes),
             failures_list(rows, outcomes, arguments.check.run));
  if (!arguments.csv) return;
  write_file(*arguments.csv, [&](std::ostream& stream) { stream << outcomes_csv(rows, outcomes); });
}

int parse_and_report(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Turns published training runs into scenario files and says which resolve and run.", "trainsim_rows");
  app.add_option("runs", arguments.runs, "training_runs.csv")->capture_default_str();
  app.add_option("--source", arguments.source, "only sources that begin with this");
  app.add_option("--out", arguments.out, "write the scenario files to this folder");
  app.add_flag("--run", arguments.check.run, "play each");
  app.add_option("--max-events", arguments.check.max_events, "largest play")->capture_default_str();
  app.add_option("--jobs", arguments.check.jobs, "at once")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--csv", arguments.csv, "write predicted and published step times to this file");
  CLI11_PARSE(app, argc, argv);
  report(arguments);
  return 0;
}

}  // namespace
}  // namespace trainsim

int main(int argc, char** argv) {
  try {
    return trainsim::parse_and_report(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "trainsim_rows: {}\n", error.what());
    return 1;
  }
}
