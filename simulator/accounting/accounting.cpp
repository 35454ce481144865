#include "simulator/accounting/accounting.hpp"

#include <algorithm>

#include "simulator/accounting/wait_chain.hpp"

namespace trainsim {
namespace {

Label label_of(Activity activity) {
  switch (activity) {
    case Activity::recompute:
      return Label::recompute;
    case Activity::optimizer:
      return Label::optimizer;
    case Activity::host:
      return Label::host;
    case Activity::data_loading:
      return Label::data_loading;
    case Activity::forward:
    case Activity::backward:
      break;
  }
  return Label::compute;
}

struct Interval {
  double begin_s = 0.0;
  double end_s = 0.0;
};

double covered_s(std::vector<Interval> intervals, double begin_s, double end_s) {
  std::ranges::sort(intervals, {}, &Interval::begin_s);
  double covered = 0.0;
  double reached = begin_s;
  for (const Interval& interval : intervals) {
    const double from = std::max(interval.begin_s, reached);
    const double to = std::min(interval.end_s, end_s);
    if (to <= from) continue;
    covered += to - from;
    reached = to;
  }
  return covered;
}

class Accountant {
 public:
  explicit Accountant(const PlayedSteps& played)
      : played_(played), chain_(played), begin_s_(played.timeline.begin_s()), end_s_(played.timeline.end_s()) {}

  Accounting run() {
    Accounting accounting;
    double ranks = 0.0;
    for (const auto& rank : played_.quotient.ranks) ranks += rank.population;
    const double window_s = end_s_ - begin_s_;
    for (std::uint32_t r = 0; r < played_.quotient.ranks.size(); ++r) {
      Split split = split_of(r);
      for (double& seconds : split.labels) seconds /= window_s;
      accounting.by_rank_class.push_back(split.labels);
      const double weight = played_.quotient.ranks[r].population / ranks / window_s;
      for (std::size_t k = 0; k < accounting.exposed_by_link.size(); ++k) {
        accounting.exposed_by_link[k] += split.exposed_by_link[k] * weight;
      }
    }
    accounting.utilization = utilizations();
    accounting.links = link_loads();
    return accounting;
  }

 private:
  Split split_of(std::uint32_t rank) const {
    Split split;
    double reached = begin_s_;  // all before is charged
    for (const std::uint32_t index : played_.timeline.compute[rank]) {
      const Span& span = played_.timeline.spans[index];
      if (span.end_s <= begin_s_) continue;
      const double start = std::min(std::max(span.start_s, begin_s_), end_s_);
      if (start > reached) chain_.charge(span.released_by, reached, start, split);
      const double end = std::min(span.end_s, end_s_);
      const Label label = label_of(played_.program.works[span.what].activity);
      split.labels[static_cast<std::size_t>(label)] += std::max(0.0, end - start);
      reached = std::max(reached, end);
      if (span.start_s >= end_s_) break;
    }
    if (reached < end_s_) chain_.charge(kNone, reached, end_s_, split);
    return split;
  }

  std::vector<double> utilizations() const {
    const auto& timeline = played_.timeline;
    std::vector<std::vector<Interval>> resident(played_.quotient.ranks.size());
    for (const Residency& residency : timeline.residencies) {
      resident[residency.rank].push_back({residency.start_s, residency.end_s});
    }
    for (std::uint32_t r = 0; r < resident.size(); ++r) {
      for (const std::uint32_t index : timeline.compute[r]) {
        const Span& span = timeline.spans[index];
        const Activity activity = played_.program.works[span.what].activity;
        if (activity == Activity::host || activity == Activity::data_loading) continue;
        resident[r].push_back({span.start_s, span.end_s});
      }
    }
    std::vector<double> result;
    for (auto& intervals : resident) {
      result.push_back(covered_s(std::move(intervals), begin_s_, end_s_) / (end_s_ - begin_s_));
    }
    return result;
  }

  std::vector<LinkClassLoad> link_loads() const {
    const auto& timeline = played_.timeline;
    std::vector<LinkClassLoad> loads(played_.quotient.links.size());
    const double window_s = end_s_ - begin_s_;
    for (std::uint32_t step = timeline.first_measured_step; step <= timeline.last_measured_step; ++step) {
      for (std::size_t l = 0; l < loads.size(); ++l) {
        const LinkLoad& load = timeline.loads[step][l];
        loads[l].mean_bytes_per_s += load.bytes / window_s;
        loads[l].peak_bytes_per_s = std::max(loads[l].peak_bytes_per_s, load.peak_bytes_per_s);
        loads[l].saturated_share += load.saturated_s / window_s;
      }
    }
    return loads;
  }

  const PlayedSteps& played_;
  WaitChain chain_;
  double begin_s_;
  double end_s_;
};

}  // namespace

Accounting account(const PlayedSteps& played) { return Accountant(played).run(); }

TimeSplit mean_split(const PlayedSteps& played, const Accounting& accounting, std::uint32_t stage) {
  TimeSplit mean{};
  double population = 0.0;
  for (std::size_t r = 0; r < played.quotient.ranks.size(); ++r) {
    const auto& rank = played.quotient.ranks[r];
    if (stage != kNone && rank.program != stage) continue;
    population += rank.population;
    for (std::size_t k = 0; k < kLabels; ++k) mean[k] += accounting.by_rank_class[r][k] * rank.population;
  }
  for (double& share : mean) share /= population;
  return mean;
}

double mean_utilization(const PlayedSteps& played, const Accounting& accounting) {
  double sum = 0.0;
  double population = 0.0;
  for (std::size_t r = 0; r < played.quotient.ranks.size(); ++r) {
    sum += accounting.utilization[r] * played.quotient.ranks[r].population;
    population += played.quotient.ranks[r].population;
  }
  return sum / population;
}

double idle_fraction(const TimeSplit& shares) {
  return 1.0 - shares[static_cast<std::size_t>(Label::compute)] - shares[static_cast<std::size_t>(Label::recompute)] -
         shares[static_cast<std::size_t>(Label::optimizer)];
}

}  // namespace trainsim
