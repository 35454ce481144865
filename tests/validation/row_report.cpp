#include "tests/validation/row_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>

namespace trainsim {
namespace {

struct Tally {
  std::size_t rows = 0, enough = 0, resolve = 0, run = 0, fit = 0;
  std::vector<double> errors;  // signed
};

void count(const TrainingRow& row, const RowOutcome& outcome, Tally& tally) {
  ++tally.rows;
  tally.enough += outcome.reach >= Reach::says_enough ? 1U : 0U;
  tally.resolve += outcome.reach >= Reach::resolves ? 1U : 0U;
  if (outcome.reach < Reach::runs) return;
  ++tally.run;
  tally.fit += outcome.fits ? 1U : 0U;
  tally.errors.push_back(error_of(row, outcome));
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Of sorted values, the one that `share` of them do not exceed.
double quantile(const std::vector<double>& sorted, double share) {
  const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(place, 1, sorted.size()) - 1];
}

std::string percent(double value) { return fmt::format("{:.1f}", 100.0 * value); }

std::string table_line(const std::string& name, const Tally& tally) {
  std::string line = fmt::format("{:<18} {:>5} {:>6} {:>7} {:>5} {:>5}", name, tally.rows, tally.enough, tally.resolve,
                                 tally.run, tally.fit);
  if (tally.errors.empty()) return line + "\n";
  std::vector<double> sizes;
  for (const double error : tally.errors) sizes.push_back(std::abs(error));
  std::ranges::sort(sizes);
  return line + fmt::format(" {:>8} {:>8} {:>8} {:>8}\n", percent(mean(sizes)), percent(quantile(sizes, 0.5)),
                            percent(quantile(sizes, 0.9)), percent(mean(tally.errors)));
}

std::string cell(const std::string& text) { return text.find(',') == std::string::npos ? text : '"' + text + '"'; }

}  // namespace

std::string sources_table(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes) {
  std::map<std::string, Tally> sources;
  Tally all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    count(rows[r], outcomes[r], sources[rows[r].source()]);
    count(rows[r], outcomes[r], all);
  }
  std::string text = fmt::format("{:<18} {:>5} {:>6} {:>7} {:>5} {:>5} {:>8} {:>8} {:>8} {:>8}\n", "source", "rows",
                                 "enough", "resolve", "run", "fit", "mean|e|%", "median", "p90", "bias");
  for (const auto& [source, tally] : sources) text += table_line(source, tally);
  return text + table_line("all", all);
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

std::string outcomes_csv(const std::vector<TrainingRow>& rows, const std::vector<RowOutcome>& outcomes) {
  std::string text = "row_id,source,model,published_s,predicted_s,error,fits,first_stage_gib,peak_gib,published_gb\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RowOutcome& outcome = outcomes[r];
    if (outcome.reach < Reach::runs) continue;
    text += fmt::format("{},{},{},{},{:.6g},{:.4f},{},{:.2f},{:.2f},{}\n", rows[r].id(), rows[r].source(),
                        cell(rows[r].text("model")), rows[r].text("step_time_s_any"), outcome.predicted_s,
                        error_of(rows[r], outcome), outcome.fits ? 1 : 0, outcome.first_stage_gib, outcome.peak_gib,
                        rows[r].text("mem_gb"));
  }
  return text;
}

}  // namespace trainsim
