// How the predictions of many runs move with a few figures: the logarithm of each run's prediction as a sum of
// parabolas, one for each figure's logarithm, through replays at a centre and on both sides of it. Cheap to evaluate,
// so that a fit and its cross-validation need no further replays.
#pragma once

#include <cstddef>
#include <vector>

namespace trainsim {

class Responses {
 public:
  // log_predictions: at the centre, then for each figure below and above it by `step` (of the figure's logarithm). Each
  // has one entry per run.
  Responses(const std::vector<std::vector<double>>& log_predictions, double step);

  [[nodiscard]] std::size_t runs() const { return centre_.size(); }
  [[nodiscard]] std::size_t figures() const { return slopes_.size(); }
  // Of one run, with the figures' logarithms `offsets` away from the centre.
  [[nodiscard]] double log_prediction(std::size_t run, const std::vector<double>& offsets) const;

  // The offsets, at most `reach` in size, that make the mean of |log prediction - log measured| over the runs whose
  // weight is not 0 least. Descends one figure at a time, which is exact enough for the few figures that a fit has.
  [[nodiscard]] std::vector<double> best_offsets(const std::vector<double>& log_measured,
                                                 const std::vector<bool>& takes_part, double reach) const;

 private:
  [[nodiscard]] double mean_distance(const std::vector<double>& log_measured, const std::vector<bool>& takes_part,
                                     const std::vector<double>& offsets) const;

  std::vector<double> centre_;
  std::vector<std::vector<double>> slopes_, curvatures_;  // by figure, by run
};

}  // namespace trainsim
