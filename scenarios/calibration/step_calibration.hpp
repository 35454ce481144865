// Figures of a software stack fitted to measured steps, with the error that each fit makes on runs it has not seen.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/calibration/stack_figures.hpp"
#include "scenarios/validation/step_validation.hpp"

namespace trainsim {

struct CalibrationRequest {
  std::string base = "megatron-core";  // stack of the catalog
  std::vector<std::string> paths;      // of the figures to fit
  ReplayOptions replay;
  std::filesystem::path folder;  // for scenario and stack files
};

// Errors with whole models, GPU counts or sources left out of the fit in turn, never single rows.
struct LeftOut {
  std::string column;  // "model", "n_gpus", "source_id"
  std::size_t groups = 0;
  ErrorSummary errors;  // of the rows left out
};

struct StepCalibration {
  std::vector<std::pair<StackFigure, double>> figures;  // SI
  ErrorSummary before, after;
  std::vector<LeftOut> left_out;  // only by columns with several values
};

// Throws std::invalid_argument for an unknown path, and when fewer rows run than there are figures. `on_round` is told
// the mean absolute error after each round.
StepCalibration calibrate_steps(const std::vector<TrainingRow>& rows, const CalibrationRequest& request,
                                const std::function<void(double)>& on_round);

}  // namespace trainsim
