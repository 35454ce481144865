#include "scenarios/calibration/step_calibration.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "scenarios/calibration/responses.hpp"

namespace trainsim {
namespace {

constexpr int kRounds = 4;
constexpr double kFirstStep = 0.3;  // of a figure's logarithm
constexpr double kReach = 2.0;      // of the step: how far the parabolas are believed

std::vector<StackFigure> figures_at(const std::vector<std::string>& paths) {
  std::vector<StackFigure> figures;
  for (const std::string& path : paths) {
    const auto found = std::ranges::find(stack_figures(), path, &StackFigure::path);
    if (found == stack_figures().end()) throw std::invalid_argument("no figure of a stack is called '" + path + "'");
    figures.push_back(*found);
  }
  return figures;
}

class StepFit {
 public:
  StepFit(const std::vector<TrainingRow>& rows, const CalibrationRequest& request)
      : rows_(rows), request_(request), figures_(figures_at(request.paths)) {
    const Stack base = catalog_stack(request.base);
    for (const StackFigure& figure : figures_) {
      const double value = figure.value(base);
      values_.push_back(value > 0.0 ? value : figure.typical);
    }
  }

  StepCalibration run(const std::function<void(double)>& on_round) {
    StepCalibration result;
    drop_rows_that_do_not_run();
    result.before = summary(log_predictions(std::nullopt));
    double step = kFirstStep;
    for (int round = 0; round < kRounds; ++round, step /= 2) {
      const Responses responses = explore(step);
      move_by(responses.best_offsets(log_measured_, std::vector<bool>(rows_.size(), true), kReach * step));
      result.after = summary(log_predictions(values_));
      if (round + 1 == kRounds) result.left_out = cross_validate(responses, kReach * step);
      on_round(result.after.mean);
    }
    for (std::size_t f = 0; f < figures_.size(); ++f) result.figures.emplace_back(figures_[f], values_[f]);
    return result;
  }

 private:
  using Values = std::vector<double>;

  void drop_rows_that_do_not_run() {
    const auto outcomes = replayed(values_);
    std::vector<TrainingRow> running;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!outcomes[r].has_run()) continue;
      running.push_back(rows_[r]);
      log_measured_.push_back(std::log(ReplayedRow{&rows_[r], &outcomes[r]}.measured_s()));
    }
    rows_ = std::move(running);
    if (rows_.size() <= figures_.size()) {
      throw std::invalid_argument(
          fmt::format("{} runs can be replayed, too few to fit {} figures", rows_.size(), figures_.size()));
    }
  }

  // With the base's own figures where `values` are not given.
  std::vector<RowOutcome> replayed(const std::optional<Values>& values) const {
    ReplayOptions options = request_.replay;
    options.stack = request_.base;
    if (values) {
      std::vector<std::pair<StackFigure, double>> figures;
      for (std::size_t f = 0; f < figures_.size(); ++f) figures.emplace_back(figures_[f], (*values)[f]);
      const auto path = request_.folder / "tried-stack.yaml";
      std::ofstream(path) << stack_file_text(request_.base, "tried", figures, "tried");
      options.stack = path.string();
    }
    return replay(rows_, options, request_.folder);
  }

  Values log_predictions(const std::optional<Values>& values) const {
    Values logs;
    for (const RowOutcome& outcome : replayed(values)) {
      if (!outcome.has_run()) throw std::runtime_error("a run that played before does not play: " + outcome.reason);
      logs.push_back(std::log(outcome.predicted_s));
    }
    return logs;
  }

  Responses explore(double step) const {
    std::vector<Values> all = {log_predictions(values_)};
    for (std::size_t f = 0; f < figures_.size(); ++f) {
      for (const double side : {-step, step}) {
        Values tried = values_;
        tried[f] *= std::exp(side);
        all.push_back(log_predictions(tried));
      }
    }
    return {all, step};
  }

  void move_by(const Values& offsets) {
    for (std::size_t f = 0; f < offsets.size(); ++f) values_[f] *= std::exp(offsets[f]);
  }

  [[nodiscard]] PredictionError error_of(std::size_t row, double log_prediction) const {
    return {std::exp(log_prediction - log_measured_[row]) - 1.0, rows_[row].number("n_gpus").value_or(1.0)};
  }

  [[nodiscard]] ErrorSummary summary(const Values& log_predictions) const {
    std::vector<PredictionError> errors;
    for (std::size_t r = 0; r < rows_.size(); ++r) errors.push_back(error_of(r, log_predictions[r]));
    return summarize(errors);
  }

  [[nodiscard]] std::vector<LeftOut> cross_validate(const Responses& responses, double reach) const {
    std::vector<LeftOut> result;
    for (const char* column : {"model", "n_gpus", "source_id"}) {
      std::map<std::string, std::vector<std::size_t>> groups;
      for (std::size_t r = 0; r < rows_.size(); ++r) groups[rows_[r].text(column)].push_back(r);
      if (groups.size() < 2) continue;
      std::vector<PredictionError> errors;
      for (const auto& [value, members] : groups) {
        std::vector<bool> takes_part(rows_.size(), true);
        for (const std::size_t r : members) takes_part[r] = false;
        const auto offsets = responses.best_offsets(log_measured_, takes_part, reach);
        for (const std::size_t r : members) errors.push_back(error_of(r, responses.log_prediction(r, offsets)));
      }
      result.push_back({column, groups.size(), summarize(errors)});
    }
    return result;
  }

  std::vector<TrainingRow> rows_;
  const CalibrationRequest& request_;
  std::vector<StackFigure> figures_;
  Values values_;
  Values log_measured_;
};

}  // namespace

StepCalibration calibrate_steps(const std::vector<TrainingRow>& rows, const CalibrationRequest& request,
                                const std::function<void(double)>& on_round) {
  return StepFit(rows, request).run(on_round);
}

}  // namespace trainsim
