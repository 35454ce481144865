#include "simulator/forecast/forecast.hpp"

#include <cmath>

namespace trainsim {

RunForecast forecast(double steps, double step_s) {
  const double whole = std::ceil(steps);
  return {whole, whole * step_s};
}

}  // namespace trainsim
