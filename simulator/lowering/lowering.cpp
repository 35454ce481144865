#include "simulator/lowering/lowering.hpp"

#include <stdexcept>
#include <utility>

#include "simulator/base/registry.hpp"
#include "simulator/lowering/algorithms.hpp"
#include "simulator/lowering/menu.hpp"

namespace trainsim {
namespace {

bool is_any(CollectiveKind) { return true; }
bool is_all_reduce(CollectiveKind kind) { return kind == CollectiveKind::all_reduce; }
bool is_one_round(CollectiveKind kind) {
  return kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
}

bool is_on_demand(Communicator&, const CollectiveChoice&) { return false; }
bool spans_nodes(Communicator& communicator, const CollectiveChoice&) { return communicator.groups().nodes.size() > 1; }

struct Algorithm {
  bool (*serves)(CollectiveKind) = &is_any;
  // Whether auto tries it.
  bool (*is_tried)(Communicator&, const CollectiveChoice&) = &is_on_demand;
  Pattern (*lower)(CollectiveKind, Communicator&) = nullptr;
};

Pattern ring_or_pairs(CollectiveKind kind, Communicator& communicator) {
  return kind == CollectiveKind::all_to_all ? all_to_all_pattern(communicator) : ring_pattern(kind, communicator);
}

// The one place that knows every algorithm. Inside one node a tree is a chain: a ring's steps and more bytes (but for
// two members, whose time was measured and is taken as a ring's), so auto tries it over several nodes only.
const Registry<Algorithm>& algorithms() {
  static const Registry<Algorithm> registry = [] {
    Registry<Algorithm> all;
    all.add("auto", "the fastest of them on an idle machine", {});
    all.add("ring", "one ring per rail; pairs for all-to-all",
            {&is_any, [](Communicator&, const CollectiveChoice&) { return true; }, &ring_or_pairs});
    all.add("tree", "double binary tree of nodes with chains inside them, all-reduce only",
            {&is_all_reduce, &spans_nodes, &tree_pattern});
    all.add("hierarchical", "within nodes, then across them, then within, all-reduce only; auto leaves it out",
            {&is_all_reduce, &is_on_demand, &hierarchical_pattern});
    all.add("nvls", "in the NVLink switch, a tree of nodes between them, all-reduce only",
            {&is_all_reduce, [](Communicator& communicator, const CollectiveChoice&) { return has_nvls(communicator); },
             &nvls_pattern});
    all.add("collnet", "in the network's switches (SHARP), all-reduce only; auto tries it where in_network is true",
            {&is_all_reduce,
             [](Communicator& communicator, const CollectiveChoice& choice) {
               return choice.in_network && has_collnet(communicator);
             },
             &collnet_pattern});
    all.add("pat", "log2(n) rounds with one GPU per node, all-gather and reduce-scatter only; auto leaves it out",
            {&is_one_round, &is_on_demand, &pat_pattern});
    return all;
  }();
  return registry;
}

void require_algorithm(CollectiveKind kind, const std::string& name) {
  if (algorithms().find(name) == nullptr) {
    std::string known;
    for (const std::string& one : algorithm_names()) known += (known.empty() ? "" : ", ") + one;
    throw std::invalid_argument("no collective algorithm " + name + "; known are " + known);
  }
  if (!has_algorithm(kind, name)) throw std::invalid_argument("the collective has no algorithm " + name);
}

}  // namespace

std::vector<AlgorithmPattern> patterns(CollectiveKind kind, const CollectiveChoice& choice,
                                       Communicator& communicator) {
  require_algorithm(kind, choice.algorithm);
  std::vector<AlgorithmPattern> result;
  if (kind == CollectiveKind::send) {
    result.push_back({"send", send_pattern(communicator)});
    return result;
  }
  for (const auto& entry : algorithms().entries()) {
    const Algorithm& algorithm = entry.value;
    if (algorithm.lower == nullptr || !algorithm.serves(kind)) continue;
    const bool is_wanted =
        choice.algorithm == "auto" ? algorithm.is_tried(communicator, choice) : choice.algorithm == entry.name;
    if (is_wanted) result.push_back({entry.name, algorithm.lower(kind, communicator)});
  }
  return result;
}

double usable_capacity_bytes_per_s(const Topology& topology, const CollectiveCatalog& catalog, LinkId link) {
  const Link& data = topology.link(link);
  return data.capacity_bytes_per_s() * catalog.of(data.kind).efficiency;
}

Transfer lower(const Collective& collective, const CollectiveChoice& choice, std::span<const RankId> ranks,
               const LoweringContext& context) {
  require_algorithm(collective.kind, choice.algorithm);
  if (ranks.size() < 2) return {};
  const CollectiveMenu menu(collective.kind, choice, ranks, context);
  return menu.transfer(menu.fastest(collective.bytes), collective.bytes);
}

std::vector<std::string> algorithm_names() { return algorithms().names(); }

std::string algorithm_help(std::string_view name) {
  for (const auto& entry : algorithms().entries()) {
    if (entry.name == name) return entry.help;
  }
  return {};
}

bool has_algorithm(CollectiveKind kind, std::string_view algorithm) {
  const Algorithm* found = algorithms().find(algorithm);
  return found != nullptr && (kind == CollectiveKind::send || found->serves(kind));
}

}  // namespace trainsim
