#include "simulator/lowering/idle_time.hpp"

#include <algorithm>

#include "simulator/lowering/connections.hpp"

namespace trainsim {
namespace {

struct LinkSeconds {
  LinkId link;
  double seconds = 0.0;
};

double use_s(const LinkUse& use, double bytes, const LoweringContext& context) {
  return bytes * use.n / usable_capacity_bytes_per_s(context.router.topology(), context.catalog, use.link);
}

double phase_idle_time_s(const Phase& phase, const LoweringContext& context) {
  double slowest_s = 0.0;
  double first_latency_s = phase.parts.empty() ? 0.0 : phase.parts.front().latency_s;
  std::vector<PartLoad> loads;
  for (const Part& part : phase.parts) {
    slowest_s = std::max(slowest_s, part.latency_s + alone_s(part.uses, part.bytes, context));
    first_latency_s = std::min(first_latency_s, part.latency_s);
    loads.push_back({&part.uses, part.bytes});
  }
  if (loads.size() < 2) return slowest_s;
  return std::max(slowest_s, first_latency_s + busiest_shared_link_s(loads, context));
}

}  // namespace

double alone_s(const std::vector<LinkUse>& uses, double bytes, const LoweringContext& context) {
  double busiest_s = 0.0;
  for (const LinkUse& use : uses) busiest_s = std::max(busiest_s, use_s(use, bytes, context));
  return busiest_s;
}

double busiest_shared_link_s(const std::vector<PartLoad>& parts, const LoweringContext& context) {
  std::vector<LinkSeconds> crossings;
  for (const PartLoad& part : parts) {
    for (const LinkUse& use : *part.uses) crossings.push_back({use.link, use_s(use, part.bytes, context)});
  }
  double busiest = 0.0;
  const std::size_t links = context.router.topology().link_count();
  if (crossings.size() * kDenseFactor > links) {
    std::vector<double> sums(links, 0.0);
    for (const LinkSeconds& one : crossings) busiest = std::max(busiest, sums[one.link.index()] += one.seconds);
    return busiest;
  }
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const LinkSeconds& a, const LinkSeconds& b) { return a.link < b.link; });
  double sum = 0.0;
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    sum = i > 0 && crossings[i].link == crossings[i - 1].link ? sum + crossings[i].seconds : crossings[i].seconds;
    busiest = std::max(busiest, sum);
  }
  return busiest;
}

double idle_time_s(const Transfer& transfer, const LoweringContext& context) {
  double sum = 0.0;
  for (const Phase& phase : transfer.phases) sum += phase_idle_time_s(phase, context);
  return sum;
}

}  // namespace trainsim
