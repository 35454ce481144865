// The whole run, from the pace of one step. On a quiet cluster without failures, checkpoints or evaluation, which are
// not modelled yet, a run is its steps at that pace.
#pragma once

namespace trainsim {

struct RunForecast {
  double steps = 0.0;  // whole
  double time_to_train_s = 0.0;
};

// `steps` is rounded up: a step that is begun is finished. REQUIRES: steps > 0, step_s >= 0.
RunForecast forecast(double steps, double step_s);

}  // namespace trainsim
