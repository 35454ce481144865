#include "scenarios/validation/step_validation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/run/child_pool.hpp"

namespace trainsim {
namespace {

void describe_run(const Result& result, RowOutcome& outcome) {
  outcome.predicted_s = result.step.time_s;
  outcome.parameters = result.model.parameters;
  outcome.gpu_time = result.gpu_time;
  outcome.fits = result.memory.fits;
  outcome.first_stage_bytes = result.memory.by_stage.front().total_bytes();
  outcome.peak_bytes = result.memory.by_stage[result.memory.peak_stage].total_bytes();
}

RowOutcome outcome_of(const TrainingRow& row, const ScenarioChoices& choices, const ReplayOptions& options,
                      const std::filesystem::path& folder) {
  RowOutcome outcome;
  try {
    const RowScenario written = scenario_of(row, choices);
    std::vector<std::string> lacks = written.lacks;
    if (!row.number("step_time_s_any")) lacks.emplace_back("step time");
    if (!lacks.empty()) {
      outcome.reason = fmt::format("{}", fmt::join(lacks, "; "));
      return outcome;
    }
    outcome.reach = Reach::says_enough;
    const auto path = write_row_scenario(row, written.yaml, folder);
    const ResolvedScenario scenario = resolve(read_scenario(path, options.overrides));
    outcome.reach = Reach::resolves;
    if (!options.run) return outcome;
    outcome.kind = kind_of(scenario);
    describe_run(run_scenario(scenario, {.max_events = options.max_events}).result, outcome);
    outcome.reach = Reach::runs;
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  }
  return outcome;
}

// With the micro-batch that its authors are taken to have tuned, where it does not say which it was: the fastest that
// fits, or the smallest. A plan that resolves and cannot be played leaves the choice open.
RowOutcome outcome_of(const TrainingRow& row, const ReplayOptions& options, const std::filesystem::path& folder) {
  const std::vector<std::int64_t> sizes = tuned_micro_batches(row);
  if (sizes.empty()) return outcome_of(row, {.stack = options.stack, .micro_batch = {}}, options, folder);
  RowOutcome best;
  std::int64_t best_size = 0;
  for (const std::int64_t size : sizes) {
    const RowOutcome outcome = outcome_of(row, {options.stack, size}, options, folder);
    if (outcome.reach == Reach::resolves) return outcome;
    const bool is_first = best.reach < Reach::resolves;
    if (!is_first && (!outcome.has_run() || !outcome.fits)) break;  // nor do larger ones
    if (!is_first && outcome.predicted_s >= best.predicted_s) continue;
    best = outcome;
    best_size = size;
  }
  if (best.has_run()) write_row_scenario(row, scenario_of(row, {options.stack, best_size}).yaml, folder);
  return best;
}

std::string packed(const RowOutcome& outcome) {
  const auto& [stack, accelerator, workload] = outcome.kind;
  return nlohmann::json{static_cast<int>(outcome.reach),
                        outcome.reason,
                        outcome.predicted_s,
                        outcome.gpu_time,
                        outcome.fits,
                        outcome.first_stage_bytes,
                        outcome.peak_bytes,
                        stack,
                        accelerator,
                        workload,
                        outcome.parameters}
      .dump();
}

RowOutcome unpacked(const ChildAnswer& answer) {
  RowOutcome outcome;
  if (!answer.has_ended) {
    outcome.reach = Reach::says_enough;
    outcome.reason = answer.text;
    return outcome;
  }
  const auto json = nlohmann::json::parse(answer.text);
  outcome.reach = static_cast<Reach>(json[0].get<int>());
  json[1].get_to(outcome.reason);
  json[2].get_to(outcome.predicted_s);
  json[3].get_to(outcome.gpu_time);
  json[4].get_to(outcome.fits);
  json[5].get_to(outcome.first_stage_bytes);
  json[6].get_to(outcome.peak_bytes);
  json[7].get_to(outcome.kind.stack);
  json[8].get_to(outcome.kind.accelerator);
  json[9].get_to(outcome.kind.workload);
  json[10].get_to(outcome.parameters);
  return outcome;
}

// Of one source, while rows are counted.
struct Tally {
  SourceErrors result;
  std::vector<PredictionError> errors;

  void count(const ReplayedRow& replayed) {
    const RowOutcome& outcome = *replayed.outcome;
    ++result.rows;
    result.enough += outcome.reach >= Reach::says_enough ? 1U : 0U;
    result.resolve += outcome.reach >= Reach::resolves ? 1U : 0U;
    if (!outcome.has_run()) return;
    result.fit += outcome.fits ? 1U : 0U;
    errors.push_back({replayed.error(), replayed.row->number("n_gpus").value_or(1.0)});
    result.worst.push_back(replayed);
  }

  SourceErrors finish(const std::string& name) {
    result.source = name;
    result.errors = summarize(errors);
    result.worst = worst_of(std::move(result.worst));
    return std::move(result);
  }
};

}  // namespace

double ReplayedRow::measured_s() const { return row->number("step_time_s_any").value(); }

std::vector<RowOutcome> replay(const std::vector<TrainingRow>& rows, const ReplayOptions& options,
                               const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<RowOutcome> outcomes;
  if (!options.run) {
    for (const TrainingRow& row : rows) outcomes.push_back(outcome_of(row, options, folder));
    return outcomes;
  }
  const auto answers = in_children(rows.size(), options.jobs,
                                   [&](std::size_t item) { return packed(outcome_of(rows[item], options, folder)); });
  for (const ChildAnswer& answer : answers) outcomes.push_back(unpacked(answer));
  return outcomes;
}

std::vector<SourceErrors> errors_by_source(const std::vector<TrainingRow>& rows,
                                           const std::vector<RowOutcome>& outcomes) {
  std::map<std::string, Tally> sources;
  Tally all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    sources[rows[r].source()].count({&rows[r], &outcomes[r]});
    all.count({&rows[r], &outcomes[r]});
  }
  std::vector<SourceErrors> result;
  for (auto& [source, tally] : sources) result.push_back(tally.finish(source));
  result.push_back(all.finish("all"));
  return result;
}

}  // namespace trainsim
