#include "scenarios/validation/memory_validation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <map>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/validation/row_scenario.hpp"
#include "workloads/memory.hpp"

namespace trainsim {
namespace {

constexpr double kGiga = 1e9;

using PrintedMemory = SourceAssumptions::PrintedMemory;

double as_printed(const std::vector<MemoryParts>& stages, const PrintedMemory& printed) {
  const MemoryParts& stage =
      printed.is_of_first_stage ? stages.front() : *std::ranges::max_element(stages, {}, &MemoryParts::total_bytes);
  return stage.total_bytes() - (printed.is_of_allocator ? stage.framework_bytes : 0.0);
}

void describe(const TrainingRow& row, const ResolvedScenario& scenario, MemoryOutcome& outcome) {
  const std::vector<MemoryParts> stages =
      memory_by_stage(scenario.scenario.model, scenario.plan, scenario.stack.kernels, scenario.stack.memory);
  const double peak_bytes = std::ranges::max(stages, {}, &MemoryParts::total_bytes).total_bytes();
  outcome.fits = peak_bytes <= scenario.scenario.cluster.node.accelerator.memory_bytes;
  const auto& printed = row.assumptions().printed_memory;
  const auto figure = row.number("mem_gb");
  if (!printed || !figure || *figure <= 0.0) return;
  outcome.predicted_bytes = as_printed(stages, *printed);
  outcome.printed_bytes = *figure * printed->unit_bytes;
}

MemoryOutcome outcome_of(const TrainingRow& row, const ReplayOptions& options, const std::filesystem::path& folder) {
  MemoryOutcome outcome;
  try {
    const RowScenario written = scenario_of(row, {.stack = options.stack, .micro_batch = {}});
    if (!written.says_enough()) {
      outcome.reason = fmt::format("{}", fmt::join(written.lacks, "; "));
      return outcome;
    }
    outcome.reach = Reach::says_enough;
    const auto path = write_row_scenario(row, written.yaml, folder);
    describe(row, resolve(read_scenario(path, options.overrides)), outcome);
    outcome.reach = Reach::resolves;
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  }
  return outcome;
}

// Of one source, while rows are counted.
struct Tally {
  SourceMemory result;
  std::vector<PredictionError> errors;

  void count(const TrainingRow& row, const MemoryOutcome& outcome) {
    ++result.rows;
    if (outcome.reach < Reach::resolves) return;
    ++result.checked;
    result.fit += outcome.fits ? 1U : 0U;
    if (!outcome.printed_bytes) return;
    errors.push_back({outcome.predicted_bytes / *outcome.printed_bytes - 1.0, row.number("n_gpus").value_or(1.0)});
  }

  SourceMemory finish(const std::string& name) {
    result.source = name;
    result.errors = summarize(errors);
    return std::move(result);
  }
};

}  // namespace

std::vector<MemoryOutcome> memory_of(const std::vector<TrainingRow>& rows, const ReplayOptions& options,
                                     const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<MemoryOutcome> outcomes;
  for (const TrainingRow& row : rows) outcomes.push_back(outcome_of(row, options, folder));
  return outcomes;
}

std::vector<SourceMemory> memory_by_source(const std::vector<TrainingRow>& rows,
                                           const std::vector<MemoryOutcome>& outcomes) {
  std::map<std::string, Tally> sources;
  Tally all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    sources[rows[r].source()].count(rows[r], outcomes[r]);
    all.count(rows[r], outcomes[r]);
  }
  std::vector<SourceMemory> result;
  for (auto& [source, tally] : sources) result.push_back(tally.finish(source));
  result.push_back(all.finish("all"));
  return result;
}

std::string memory_table(const std::vector<SourceMemory>& sources) {
  std::string text = fmt::format("{:<18} {:>5} {:>8} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "source", "rows",
                                 "checked", "fit", "printed", "bias %", "mean |%|", "median", "p90");
  for (const SourceMemory& source : sources) {
    const ErrorSummary& errors = source.errors;
    text +=
        fmt::format("{:<18} {:>5} {:>8} {:>5} {:>8}", source.source, source.rows, source.checked, source.fit, errors.n);
    if (errors.n > 0) {
      text += fmt::format(" {:>8} {:>8} {:>8} {:>8}", in_percent(errors.bias), in_percent(errors.mean),
                          in_percent(errors.median), in_percent(errors.p90));
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json memory_json(const std::vector<SourceMemory>& sources) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SourceMemory& source : sources) {
    json.push_back({{"source", source.source},
                    {"rows", source.rows},
                    {"checked", source.checked},
                    {"fit", source.fit},
                    {"errors", summary_json(source.errors)}});
  }
  return json;
}

std::string memory_csv(const std::vector<TrainingRow>& rows, const std::vector<MemoryOutcome>& outcomes) {
  std::string text = "row_id,source,fits,predicted_gb,printed_gb\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const MemoryOutcome& outcome = outcomes[r];
    if (outcome.reach < Reach::resolves) continue;
    text += fmt::format("{},{},{},", rows[r].id(), rows[r].source(), outcome.fits ? 1 : 0);
    if (outcome.printed_bytes) {
      text += fmt::format("{:.2f},{:.2f}", outcome.predicted_bytes / kGiga, *outcome.printed_bytes / kGiga);
    } else {
      text += ",";
    }
    text += "\n";
  }
  return text;
}

}  // namespace trainsim
