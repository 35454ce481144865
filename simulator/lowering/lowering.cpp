#include "simulator/lowering/lowering.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "simulator/base/registry.hpp"
#include "simulator/lowering/algorithms.hpp"

namespace trainsim {
namespace {

struct Algorithm {
  bool has_all_reduce_only = false;
  Transfer (*lower)(const Collective&, Communicator&) = nullptr;
};

Transfer ring_or_pairs(const Collective& collective, Communicator& communicator) {
  return collective.kind == CollectiveKind::all_to_all ? all_to_all_transfer(collective, communicator)
                                                       : ring_transfer(collective, communicator);
}

Transfer fastest(const Collective& collective, Communicator& communicator);

// The one place that knows every algorithm.
const Registry<Algorithm>& algorithms() {
  static const Registry<Algorithm> registry = [] {
    Registry<Algorithm> all;
    all.add("auto", "the faster of ring and tree on an idle machine", {false, &fastest});
    all.add("ring", "one ring per rail", {false, &ring_or_pairs});
    all.add("tree", "double binary tree of nodes with chains inside them, all-reduce only", {true, &tree_transfer});
    all.add("hierarchical", "within nodes, then across them, then within, all-reduce only",
            {true, &hierarchical_transfer});
    return all;
  }();
  return registry;
}

Transfer fastest(const Collective& collective, Communicator& communicator) {
  std::optional<Transfer> best;
  double least_s = 0.0;
  for (const std::string& name : candidate_algorithms(collective.kind, "auto")) {
    Transfer candidate = algorithms().find(name)->lower(collective, communicator);
    const double seconds = idle_time_s(candidate, communicator.context());
    if (best && seconds >= least_s) continue;
    best = std::move(candidate);
    least_s = seconds;
  }
  return std::move(best).value();
}

struct LinkSeconds {
  LinkId link;
  double seconds = 0.0;
};

double part_seconds(const Part& part, const LinkUse& use, const LoweringContext& context) {
  return part.bytes * use.n / usable_capacity_bytes_per_s(context.router.topology(), context.catalog, use.link);
}

double slowest_part_s(const Phase& phase, const LoweringContext& context) {
  double slowest = 0.0;
  for (const Part& part : phase.parts) {
    double busiest_link_s = 0.0;
    for (const LinkUse& use : part.uses) busiest_link_s = std::max(busiest_link_s, part_seconds(part, use, context));
    slowest = std::max(slowest, part.latency_s + busiest_link_s);
  }
  return slowest;
}

// Seconds of the link that all parts together keep busy longest.
double busiest_shared_link_s(const Phase& phase, const LoweringContext& context) {
  std::vector<LinkSeconds> crossings;
  for (const Part& part : phase.parts) {
    for (const LinkUse& use : part.uses) crossings.push_back({use.link, part_seconds(part, use, context)});
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

double phase_idle_time_s(const Phase& phase, const LoweringContext& context) {
  const double alone_s = slowest_part_s(phase, context);
  if (phase.parts.size() < 2) return alone_s;
  double first_latency_s = phase.parts.front().latency_s;
  for (const Part& part : phase.parts) first_latency_s = std::min(first_latency_s, part.latency_s);
  return std::max(alone_s, first_latency_s + busiest_shared_link_s(phase, context));
}

}  // namespace

double usable_capacity_bytes_per_s(const Topology& topology, const CollectiveCatalog& catalog, LinkId link) {
  const Link& data = topology.link(link);
  return data.capacity_bytes_per_s() * catalog.of(data.kind).efficiency;
}

Transfer lower(const Collective& collective, std::string_view algorithm, std::span<const RankId> ranks,
               const LoweringContext& context) {
  const Algorithm* found = algorithms().find(algorithm);
  if (found == nullptr) {
    std::string known;
    for (const std::string& name : algorithm_names()) known += (known.empty() ? "" : ", ") + name;
    throw std::invalid_argument("no collective algorithm " + std::string(algorithm) + "; known are " + known);
  }
  if (!has_algorithm(collective.kind, algorithm)) {
    throw std::invalid_argument("algorithm " + std::string(algorithm) + " is for all-reduce only");
  }
  if (ranks.size() < 2) return {};
  Communicator communicator(ranks, context);
  if (collective.kind == CollectiveKind::send) return send_transfer(collective, communicator);
  return found->lower(collective, communicator);
}

double idle_time_s(const Transfer& transfer, const LoweringContext& context) {
  double sum = 0.0;
  for (const Phase& phase : transfer.phases) sum += phase_idle_time_s(phase, context);
  return sum;
}

std::vector<std::string> candidate_algorithms(CollectiveKind kind, std::string_view algorithm) {
  if (algorithm != "auto") return {std::string(algorithm)};
  if (kind != CollectiveKind::all_reduce) return {"ring"};
  return {"ring", "tree"};
}

std::vector<std::string> algorithm_names() { return algorithms().names(); }

bool has_algorithm(CollectiveKind kind, std::string_view algorithm) {
  const Algorithm* found = algorithms().find(algorithm);
  if (found == nullptr) return false;
  return !found->has_all_reduce_only || kind == CollectiveKind::all_reduce || kind == CollectiveKind::send;
}

}  // namespace trainsim
