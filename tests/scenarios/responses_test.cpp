// A fit on responses finds the figures that made the measurements.
#include "scenarios/calibration/responses.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "scenarios/calibration/stack_figures.hpp"

namespace trainsim {
namespace {

// Three runs whose time is compute / a + launches x b, by the logarithms of a and b.
std::vector<double> log_times(double log_a, double log_b) {
  std::vector<double> logs;
  for (const auto& [compute, launches] : {std::pair{10.0, 0.1}, {5.0, 1.0}, {1.0, 4.0}}) {
    logs.push_back(std::log(compute / std::exp(log_a) + launches * std::exp(log_b)));
  }
  return logs;
}

TEST(Responses, AFitFindsWhatMadeTheMeasurements) {
  constexpr double kStep = 0.2;
  const Responses responses(
      {log_times(0, 0), log_times(-kStep, 0), log_times(kStep, 0), log_times(0, -kStep), log_times(0, kStep)}, kStep);
  const auto offsets = responses.best_offsets(log_times(0.1, -0.14), {true, true, true}, 0.4);
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_NEAR(offsets[0], 0.1, 0.021);
  EXPECT_NEAR(offsets[1], -0.14, 0.021);
}

TEST(Responses, RunsThatTakeNoPartDoNotCount) {
  const Responses responses({log_times(0, 0), log_times(-0.1, 0), log_times(0.1, 0)}, 0.1);
  std::vector<double> measured = log_times(0.1, 0);
  measured[2] = 100.0;
  EXPECT_NEAR(responses.best_offsets(measured, {true, true, false}, 0.2)[0], 0.1, 0.011);
}

TEST(StackFigures, AreWrittenAsTheStackFileReadsThem) {
  for (const StackFigure& figure : stack_figures()) {
    EXPECT_GE(figure.value(catalog_stack("megatron-2021")), 0.0) << figure.path;
  }
  EXPECT_EQ(stack_figures()[6].path, "host.per_kernel");
  EXPECT_EQ(stack_figures()[6].text(3.5e-5), "35us");
}

}  // namespace
}  // namespace trainsim
