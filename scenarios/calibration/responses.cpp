#include "scenarios/calibration/responses.hpp"

#include <cmath>

namespace trainsim {

Responses::Responses(const std::vector<std::vector<double>>& log_predictions, double step)
    : centre_(log_predictions.front()) {
  for (std::size_t f = 0; 2 * f + 2 < log_predictions.size(); ++f) {
    const auto& below = log_predictions[2 * f + 1];
    const auto& above = log_predictions[2 * f + 2];
    std::vector<double> slope, curvature;
    for (std::size_t run = 0; run < centre_.size(); ++run) {
      slope.push_back((above[run] - below[run]) / (2 * step));
      curvature.push_back((above[run] + below[run] - 2 * centre_[run]) / (step * step));
    }
    slopes_.push_back(std::move(slope));
    curvatures_.push_back(std::move(curvature));
  }
}

double Responses::log_prediction(std::size_t run, const std::vector<double>& offsets) const {
  double value = centre_[run];
  for (std::size_t f = 0; f < offsets.size(); ++f) {
    value += slopes_[f][run] * offsets[f] + curvatures_[f][run] * offsets[f] * offsets[f] / 2;
  }
  return value;
}

double Responses::mean_distance(const std::vector<double>& log_measured, const std::vector<bool>& takes_part,
                                const std::vector<double>& offsets) const {
  double sum = 0.0;
  for (std::size_t run = 0; run < runs(); ++run) {
    if (takes_part[run]) sum += std::abs(log_prediction(run, offsets) - log_measured[run]);
  }
  return sum;
}

std::vector<double> Responses::best_offsets(const std::vector<double>& log_measured,
                                            const std::vector<bool>& takes_part, double reach) const {
  constexpr int kPlaces = 20;  // tried on each side
  constexpr int kRounds = 30;
  std::vector<double> offsets(figures(), 0.0);
  double least = mean_distance(log_measured, takes_part, offsets);
  for (int round = 0; round < kRounds; ++round) {
    const double before = least;
    for (std::size_t f = 0; f < figures(); ++f) {
      std::vector<double> tried = offsets;
      for (int place = -kPlaces; place <= kPlaces; ++place) {
        tried[f] = reach * place / kPlaces;
        const double distance = mean_distance(log_measured, takes_part, tried);
        if (distance >= least) continue;
        least = distance;
        offsets[f] = tried[f];
      }
    }
    if (least >= before) break;
  }
  return offsets;
}

}  // namespace trainsim
