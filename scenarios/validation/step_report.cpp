#include "scenarios/validation/step_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <set>

namespace trainsim {
namespace {

constexpr double kGiga = 1e9;
constexpr double kLeastShown = 0.005;  // of the step
constexpr std::size_t kMostParts = 4;

// "tp8 pp8 dp4 b1", with what else is not one.
std::string plan_of(const TrainingRow& row) {
  std::string text;
  for (const char* column : {"tp", "cp", "pp", "vp", "ep", "dp"}) {
    const auto degree = row.count(column);
    if (degree && *degree > 1) text += fmt::format("{}{} ", column, *degree);
  }
  if (row.has("micro_batch")) text += "b" + row.text("micro_batch");
  return text;
}

// The largest parts of the predicted step: "compute 61 %, bubble 20 %".
std::string breakdown(const RowOutcome& outcome) {
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, share] : outcome.gpu_time) {
    if (share >= kLeastShown) parts.emplace_back(-share, name);
  }
  std::ranges::sort(parts);
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  std::vector<std::string> words;
  for (const auto& [share, name] : parts) words.push_back(fmt::format("{} {:.0f} %", name, -100.0 * share));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string worst_line(const ReplayedRow& one) {
  return fmt::format("  {:<9} {:>6} GPUs  {:<24} {:>10.4g} s {:>10.4g} s {:>8} %  {}\n", one.row->id(),
                     one.row->text("n_gpus"), plan_of(*one.row), one.measured_s(), one.outcome->predicted_s,
                     in_percent(one.error()), breakdown(*one.outcome));
}

nlohmann::ordered_json row_json(const ReplayedRow& one) {
  return {{"row", one.row->id()},           {"gpus", one.row->number("n_gpus").value_or(0.0)},
          {"measured_s", one.measured_s()}, {"predicted_s", one.outcome->predicted_s},
          {"error", one.error()},           {"gpu_time", one.outcome->gpu_time}};
}

nlohmann::ordered_json source_json(const SourceErrors& source) {
  nlohmann::ordered_json json = {{"source", source.source},     {"rows", source.rows},
                                 {"say_enough", source.enough}, {"resolve", source.resolve},
                                 {"fit", source.fit},           {"errors", summary_json(source.errors)}};
  json["worst"] = nlohmann::ordered_json::array();
  for (const ReplayedRow& one : source.worst) json["worst"].push_back(row_json(one));
  return json;
}

std::string cell(const std::string& text) { return text.find(',') == std::string::npos ? text : '"' + text + '"'; }

std::set<std::string> part_names(const std::vector<RowOutcome>& outcomes) {
  std::set<std::string> names;
  for (const RowOutcome& outcome : outcomes) {
    for (const auto& [name, share] : outcome.gpu_time) names.insert(name);
  }
  return names;
}

}  // namespace

std::string step_table(const std::vector<SourceErrors>& sources) {
  std::string text = fmt::format("{:<18} {:>5} {:>6} {:>5} {:>5} {:>8} {:>8} {:>8} {:>8} {:>10}\n", "source", "rows",
                                 "enough", "n", "fit", "bias %", "mean |%|", "median", "p90", "per decade");
  for (const SourceErrors& source : sources) {
    const ErrorSummary& errors = source.errors;
    text +=
        fmt::format("{:<18} {:>5} {:>6} {:>5} {:>5}", source.source, source.rows, source.enough, errors.n, source.fit);
    if (errors.n > 0) {
      text += fmt::format(" {:>8} {:>8} {:>8} {:>8} {:>10}", in_percent(errors.bias), in_percent(errors.mean),
                          in_percent(errors.median), in_percent(errors.p90), in_percent(errors.slope_per_decade));
    }
    text += "\n";
  }
  return text;
}

std::string worst_table(const std::vector<SourceErrors>& sources) {
  std::string text = "worst five of each: row, GPUs, plan, measured, predicted, error, where the predicted step goes\n";
  for (const SourceErrors& source : sources) {
    if (source.worst.empty()) continue;
    text += source.source + "\n";
    for (const ReplayedRow& one : source.worst) text += worst_line(one);
  }
  return text;
}

std::string validation_page(const std::vector<SourceErrors>& sources) {
  return "# How far predictions are off\n\n"
         "Written by `trainsim validate FILE --page docs/validation.md` from published runs; not edited. Each row of "
         "the "
         "file is replayed as a\nscenario ([calibration.md](calibration.md)); a test replays some of the sources and "
         "compares. `enough`: rows that say all that a scenario needs; `n`: rows\nreplayed; `fit`: those whose plan is "
         "said to fit the memory; errors are of the step time, predicted / measured - 1; `per decade`: slope of the "
         "signed error per\nfactor of ten of GPUs.\n\n```\n" +
         step_table(sources) + "```\n\n```\n" + worst_table(sources) + "```\n";
}

std::string lacks_list(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes) {
  std::map<std::string, std::vector<std::string>> ids;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (outcomes[r].reach < Reach::says_enough) ids[outcomes[r].reason].push_back(rows[r].id());
  }
  std::string text;
  for (const auto& [what, lacking] : ids)
    text += fmt::format("{} without {}: {}\n", lacking.size(), what, fmt::join(lacking, " "));
  return text;
}

std::string failures_list(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes, bool has_run) {
  const Reach wanted = has_run ? Reach::runs : Reach::resolves;
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Reach reach = outcomes[r].reach;
    if (reach < Reach::says_enough || reach >= wanted) continue;
    text += fmt::format("{} ({}) does not {}: {}\n", rows[r].id(), rows[r].source(),
                        reach == Reach::says_enough ? "resolve" : "run", outcomes[r].reason);
  }
  return text;
}

nlohmann::ordered_json step_json(const std::vector<SourceErrors>& sources, const std::vector<TrainingRow>& rows,
                                 const std::vector<RowOutcome>& outcomes) {
  nlohmann::ordered_json json;
  json["sources"] = nlohmann::ordered_json::array();
  for (const SourceErrors& source : sources) json["sources"].push_back(source_json(source));
  json["rows"] = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (outcomes[r].has_run()) {
      json["rows"].push_back(row_json({&rows[r], &outcomes[r]}));
    } else {
      json["rows"].push_back({{"row", rows[r].id()}, {"not_replayed", outcomes[r].reason}});
    }
  }
  return json;
}

std::string outcomes_csv(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes) {
  const std::set<std::string> parts = part_names(outcomes);
  std::string text =
      fmt::format("row_id,source,model,measured_s,predicted_s,error,fits,first_stage_gb,peak_gb,published_gb,{}\n",
                  fmt::join(parts, ","));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RowOutcome& outcome = outcomes[r];
    if (!outcome.has_run()) continue;
    const ReplayedRow one{&rows[r], &outcome};
    text += fmt::format("{},{},{},{},{:.6g},{:.4f},{},{:.2f},{:.2f},{}", rows[r].id(), rows[r].source(),
                        cell(rows[r].text("model")), rows[r].text("step_time_s_any"), outcome.predicted_s, one.error(),
                        outcome.fits ? 1 : 0, outcome.first_stage_bytes / kGiga, outcome.peak_bytes / kGiga,
                        rows[r].text("mem_gb"));
    for (const std::string& part : parts) {
      const auto share = outcome.gpu_time.find(part);
      text += fmt::format(",{:.4f}", share == outcome.gpu_time.end() ? 0.0 : share->second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace trainsim
