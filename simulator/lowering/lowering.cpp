#include "simulator/lowering/lowering.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

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

Transfer faster_of_ring_and_tree(const Collective& collective, Communicator& communicator) {
  Transfer ring = ring_or_pairs(collective, communicator);
  if (collective.kind != CollectiveKind::all_reduce) return ring;
  Transfer tree = tree_transfer(collective, communicator);
  const LoweringContext& context = communicator.context();
  return idle_time_s(tree, context) < idle_time_s(ring, context) ? tree : ring;
}

// The one place that knows every algorithm.
const Registry<Algorithm>& algorithms() {
  static const Registry<Algorithm> registry = [] {
    Registry<Algorithm> all;
    all.add("auto", "the faster of ring and tree on an idle machine", {false, &faster_of_ring_and_tree});
    all.add("ring", "one ring per rail", {false, &ring_or_pairs});
    all.add("tree", "double binary tree of nodes with chains inside them, all-reduce only", {true, &tree_transfer});
    all.add("hierarchical", "within nodes, then across them, then within, all-reduce only",
            {true, &hierarchical_transfer});
    return all;
  }();
  return registry;
}

struct LinkSeconds {
  LinkId link;
  double seconds = 0.0;
};

// Adds a part's seconds on each link to the sums so far; both are sorted by link.
std::vector<LinkSeconds> added(const std::vector<LinkSeconds>& sums, const std::vector<LinkSeconds>& part) {
  std::vector<LinkSeconds> result;
  result.reserve(sums.size() + part.size());
  std::size_t next = 0;
  for (const LinkSeconds& one : sums) {
    while (next < part.size() && part[next].link < one.link) result.push_back(part[next++]);
    result.push_back(one);
    if (next < part.size() && part[next].link == one.link) result.back().seconds += part[next++].seconds;
  }
  result.insert(result.end(), part.begin() + static_cast<std::ptrdiff_t>(next), part.end());
  return result;
}

double slowest_of(const std::vector<LinkSeconds>& links) {
  double slowest = 0.0;
  for (const LinkSeconds& one : links) slowest = std::max(slowest, one.seconds);
  return slowest;
}

double phase_idle_time_s(const Phase& phase, const LoweringContext& context) {
  double slowest_part_s = 0.0;
  double first_latency_s = std::numeric_limits<double>::infinity();
  std::vector<LinkSeconds> sums;
  for (const Part& part : phase.parts) {
    std::vector<LinkSeconds> links;
    links.reserve(part.uses.size());
    for (const LinkUse& use : part.uses) {
      const double capacity = usable_capacity_bytes_per_s(context.router.topology(), context.catalog, use.link);
      links.push_back({use.link, part.bytes * use.n / capacity});
    }
    slowest_part_s = std::max(slowest_part_s, part.latency_s + slowest_of(links));
    first_latency_s = std::min(first_latency_s, part.latency_s);
    if (phase.parts.size() > 1) sums = added(sums, links);
  }
  return sums.empty() ? slowest_part_s : std::max(slowest_part_s, first_latency_s + slowest_of(sums));
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

std::vector<std::string> algorithm_names() { return algorithms().names(); }

bool has_algorithm(CollectiveKind kind, std::string_view algorithm) {
  const Algorithm* found = algorithms().find(algorithm);
  if (found == nullptr) return false;
  return !found->has_all_reduce_only || kind == CollectiveKind::all_reduce || kind == CollectiveKind::send;
}

}  // namespace trainsim
