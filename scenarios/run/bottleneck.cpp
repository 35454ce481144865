// Which resource binds: the one that holds the largest share of GPU time, compute split by what its kernels wait for.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>

#include "scenarios/run/facts.hpp"

namespace trainsim {
namespace {

struct Claim {
  std::string resource;
  double share = 0.0;
  std::string why;
};

// Share of compute time in which memory bandwidth, not arithmetic, binds.
double memory_bound_fraction(const PlayedSteps& played, const CostModel& cost) {
  double total = 0.0;
  double memory_bound = 0.0;
  for (std::size_t stage = 0; stage < played.program.stages.size(); ++stage) {
    for (const Op& op : played.program.stages[stage].ops[static_cast<std::size_t>(Stream::compute)]) {
      const Work& work = played.program.works[op.what];
      if (work.activity == Activity::host || work.activity == Activity::data_loading) continue;
      total += cost.seconds(work);
      memory_bound += cost.memory_bound_seconds(work);
    }
  }
  return total > 0.0 ? memory_bound / total : 0.0;
}

// In the words of the result page: nvlink stands for all of the accelerators' own links, pcie for the host's.
const char* resource_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::roce:
      return "nvlink";
    case LinkKind::pcie:
    case LinkKind::socket:
      return "pcie";
    case LinkKind::nic:
      return "nic";
    case LinkKind::fabric:
      break;
  }
  return "fabric";
}

std::vector<Claim> claims(const PlayedSteps& played, const CostModel& cost, const Accounting& accounting,
                          const Result& result) {
  const auto share = [&](const char* name) { return result.gpu_time.at(name); };
  const double busy = share("compute") + share("recompute") + share("optimizer");
  const double memory_bound = busy * memory_bound_fraction(played, cost);
  std::vector<Claim> all;
  all.push_back({"compute", busy - memory_bound,
                 fmt::format("arithmetic takes {:.1f} % of GPU time, more than any other resource",
                             100 * (busy - memory_bound))});
  all.push_back({"memory-bandwidth", memory_bound,
                 fmt::format("kernels bound by memory bandwidth take {:.1f} % of GPU time", 100 * memory_bound)});
  std::map<std::string, double> exposed_by_resource;
  for (std::size_t kind = 0; kind < kLinkKinds; ++kind) {
    exposed_by_resource[resource_of(static_cast<LinkKind>(kind))] += accounting.exposed_by_link[kind];
  }
  for (const auto& [resource, exposed] : exposed_by_resource) {
    all.push_back(
        {resource, exposed,
         fmt::format("GPUs wait {:.1f} % of their time for transfers that {} bounds", 100 * exposed, resource)});
  }
  all.push_back(
      {"schedule", share("bubble") + share("straggler_wait"),
       fmt::format("GPUs wait {:.1f} % of their time for kernels of other ranks (pipeline bubble, stragglers)",
                   100 * (share("bubble") + share("straggler_wait")))});
  all.push_back({"storage", share("data_loading"),
                 fmt::format("GPUs wait {:.1f} % of their time for data", 100 * share("data_loading"))});
  all.push_back(
      {"host", share("host"), fmt::format("GPUs wait {:.1f} % of their time for the host", 100 * share("host"))});
  return all;
}

}  // namespace

void describe_bottleneck(const PlayedSteps& played, const CostModel& cost, const Accounting& accounting,
                         Result& result) {
  if (!result.memory.fits) {
    const auto& peak = result.memory.by_stage[result.memory.peak_stage];
    result.bottleneck = {"memory-capacity", fmt::format("stage {} needs {:.1f} GB of the {:.1f} GB that a GPU has",
                                                        result.memory.peak_stage, peak.total_bytes() / 1e9,
                                                        result.memory.capacity_bytes / 1e9)};
    return;
  }
  const auto all = claims(played, cost, accounting, result);
  const auto binding = std::ranges::max_element(all, {}, &Claim::share);
  result.bottleneck = {binding->resource, binding->why};
}

}  // namespace trainsim
