#include "simulator/forecast/forecast.hpp"

#include <gtest/gtest.h>

namespace trainsim {
namespace {

TEST(Forecast, ARunIsItsStepsAtThePaceOfOne) { EXPECT_DOUBLE_EQ(forecast(1000, 20.5).time_to_train_s, 20500); }

TEST(Forecast, AStepThatIsBegunIsFinished) {
  EXPECT_DOUBLE_EQ(forecast(95367.4, 1.0).steps, 95368);
  EXPECT_DOUBLE_EQ(forecast(95368.0, 1.0).steps, 95368);
}

}  // namespace
}  // namespace trainsim
