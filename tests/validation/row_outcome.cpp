#include "tests/validation/row_outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "tests/validation/child_pool.hpp"

namespace trainsim {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

std::filesystem::path write_scenario(const TrainingRow& row, const std::string& yaml,
                                     const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / (row.id() + ".yaml");
  std::ofstream stream(path);
  stream << yaml;
  stream.close();
  if (!stream) throw std::runtime_error(path.string() + ": cannot be written");
  return path;
}

void describe_run(const Result& result, RowOutcome& outcome) {
  outcome.predicted_s = result.step.time_s;
  outcome.fits = result.memory.fits;
  outcome.first_stage_gib = result.memory.by_stage.front().total_bytes() / kGib;
  outcome.peak_gib = result.memory.by_stage[result.memory.peak_stage].total_bytes() / kGib;
}

RowOutcome outcome_of(const TrainingRow& row, const RowCheck& check, const std::filesystem::path& folder) {
  RowOutcome outcome;
  try {
    const RowScenario written = scenario_of(row);
    if (!written.says_enough()) {
      outcome.reason = fmt::format("{}", fmt::join(written.lacks, "; "));
      return outcome;
    }
    outcome.reach = Reach::says_enough;
    const ResolvedScenario scenario = resolve(read_scenario(write_scenario(row, written.yaml, folder)));
    outcome.reach = Reach::resolves;
    if (!check.run) return outcome;
    describe_run(run_scenario(scenario, {.max_events = check.max_events}).result, outcome);
    outcome.reach = Reach::runs;
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  }
  return outcome;
}

std::string packed(const RowOutcome& outcome) {
  return nlohmann::json{static_cast<int>(outcome.reach), outcome.reason,  outcome.predicted_s, outcome.fits,
                        outcome.first_stage_gib,         outcome.peak_gib}
      .dump();
}

RowOutcome unpacked(const ChildAnswer& answer) {
  if (!answer.has_ended) return {.reach = Reach::says_enough, .reason = answer.text};
  const auto json = nlohmann::json::parse(answer.text);
  return {static_cast<Reach>(json[0].get<int>()), json[1], json[2], json[3], json[4], json[5]};
}

}  // namespace

std::vector<RowOutcome> check_rows(const std::vector<TrainingRow>& rows, const RowCheck& check,
                                   const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<RowOutcome> outcomes;
  if (!check.run) {
    for (const TrainingRow& row : rows) outcomes.push_back(outcome_of(row, check, folder));
    return outcomes;
  }
  const auto answers = in_children(rows.size(), check.jobs,
                                   [&](std::size_t item) { return packed(outcome_of(rows[item], check, folder)); });
  for (const ChildAnswer& answer : answers) outcomes.push_back(unpacked(answer));
  return outcomes;
}

double error_of(const TrainingRow& row, const RowOutcome& outcome) {
  return outcome.predicted_s / row.number("step_time_s_any").value() - 1.0;
}

}  // namespace trainsim
