#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "topologies/tiers.hpp"

namespace trainsim {
namespace {

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

std::uint64_t round_up_division(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

class TierSizes {
 public:
  TierSizes(const FabricPlan& plan, const NodeSpec& node, const FabricSpec& fabric)
      : plan_(plan), node_(node), fabric_(fabric), rails_(plan.rails == RailLayout::none ? 1 : rails_of(node)) {
    check();
  }

  std::vector<Tier> compute() {
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      const FabricLevel& level = plan_.levels[i];
      Tier tier{.name = level.name, .is_split_by_rail = is_split(i)};
      if (can_be_last(i) && nodes_under(i, level.ports.value_or(0)) >= fabric_.nodes) {
        tier.nodes = fabric_.nodes;
        tier.switches = switches_of(i, tier.nodes, level.ports.value_or(0));
        tiers_.push_back(tier);
        return tiers_;
      }
      if (i + 1 == plan_.levels.size()) refuse_too_small(level);
      tier.nodes = nodes_of_inner_group(i);
      add_up_cables(tier, i);
      tiers_.push_back(tier);
    }
    refuse("a fabric needs at least one level");
  }

 private:
  void check() const {
    for (const FabricLevel& level : plan_.levels) {
      if (!(level.oversubscription > 0.0) || !std::isfinite(level.oversubscription)) {
        refuse("the oversubscription of level " + level.name + " must be above 0");
      }
      if (!level.ports && !level.gpus && &level != &plan_.levels.back()) {
        refuse("level " + level.name + " needs ports or gpus; only the last level spans everything by itself");
      }
      if (level.gpus && (*level.gpus == 0 || *level.gpus % node_.gpus != 0)) {
        refuse("level " + level.name + " covers " + std::to_string(*level.gpus) +
               " GPUs; it must be a whole number of nodes of " + std::to_string(node_.gpus));
      }
    }
    if (!plan_.levels.empty() && plan_.levels.back().oversubscription != 1.0) {
      refuse("level " + plan_.levels.back().name + " is the last: it has no links upwards to be oversubscribed");
    }
  }

  bool is_split(std::size_t i) const {
    return plan_.rails == RailLayout::all_tiers || (plan_.rails == RailLayout::leaf_only && i == 0);
  }

  // Leaves of several rails do not meet without a tier above them, unless rails never meet by design.
  bool can_be_last(std::size_t i) const { return plan_.rails != RailLayout::leaf_only || i > 0 || rails_ == 1; }

  // Cables that one node puts into one leaf.
  std::uint64_t cables_of_node() const { return round_up_division(node_.nics.count, rails_); }

  // Groups of the tier below that belong to one and the same set of nodes, as seen from tier i.
  std::uint64_t groups_side_by_side(std::size_t i) const { return is_split(i - 1) && !is_split(i) ? rails_ : 1; }

  // Nodes under one group of tier i that spends `down_ports` downwards.
  std::uint64_t nodes_under(std::size_t i, std::uint64_t down_ports) const {
    const FabricLevel& level = plan_.levels[i];
    if (level.gpus) return *level.gpus / node_.gpus;
    if (!level.ports) return kEverything;
    if (i == 0) return down_ports / cables_of_node();
    return down_ports / groups_side_by_side(i) * tiers_[i - 1].nodes;
  }

  static std::uint32_t down_ports(const FabricLevel& level) {
    constexpr double kRounding = 1e-9;  // 64 · 7 / 8 must be 56, not 55.999…
    const double os = level.oversubscription;
    return static_cast<std::uint32_t>(std::floor(*level.ports * os / (1.0 + os) + kRounding));
  }

  std::uint32_t nodes_of_inner_group(std::size_t i) const {
    const FabricLevel& level = plan_.levels[i];
    const std::uint64_t down = level.ports ? down_ports(level) : 0;
    const std::uint64_t nodes = nodes_under(i, down);
    if (level.ports && (down == 0 || down == *level.ports)) {
      refuse("level " + level.name + ": " + std::to_string(*level.ports) + " ports at oversubscription " +
             std::to_string(level.oversubscription) + " leave none " + (down == 0 ? "downwards" : "upwards"));
    }
    if (nodes == 0) {
      refuse("level " + level.name + ": " + std::to_string(*level.ports) + " ports leave " + std::to_string(down) +
             " downwards, too few for one " +
             (i == 0 ? "node of " + std::to_string(cables_of_node()) + " NICs" : "group of each rail") +
             "; give the switches more ports");
    }
    if (i > 0 && nodes < tiers_[i - 1].nodes) {
      refuse("level " + level.name + " covers fewer GPUs than one group of level " + tiers_[i - 1].name + " below it");
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(nodes, std::numeric_limits<std::uint32_t>::max()));
  }

  // Cables from below into one group of tier i that covers `nodes`.
  std::uint64_t down_cables(std::size_t i, std::uint64_t nodes) const {
    if (i == 0) return nodes * cables_of_node();
    return round_up_division(nodes, tiers_[i - 1].nodes) * groups_side_by_side(i) * tiers_[i - 1].up_cables;
  }

  double cable_from_below_bytes_per_s(std::size_t i) const {
    if (i > 0) return tiers_[i - 1].up_cable_bytes_per_s;
    return std::min(node_.nics.bandwidth_bytes_per_s, fabric_.link_bandwidth_bytes_per_s);
  }

  // Of unknown port count: one cable from each group below to each switch.
  std::uint32_t switches_of(std::size_t i, std::uint64_t nodes, std::uint64_t ports_downwards) const {
    std::uint64_t count = i == 0 ? 1 : tiers_[i - 1].up_cables;
    if (ports_downwards > 0) count = round_up_division(down_cables(i, nodes), ports_downwards);
    return static_cast<std::uint32_t>(count);
  }

  // A leaf given by its ports has whole cables. Elsewhere the capacity is exactly down / os, so the last of the rounded
  // number of cables is spread over all of them.
  void add_up_cables(Tier& tier, std::size_t i) const {
    const FabricLevel& level = plan_.levels[i];
    if (i == 0 && level.ports && !level.gpus) {
      tier.up_cables = *level.ports - down_ports(level);
      tier.up_cable_bytes_per_s = fabric_.link_bandwidth_bytes_per_s;
      return;
    }
    const double capacity =
        static_cast<double>(down_cables(i, tier.nodes)) * cable_from_below_bytes_per_s(i) / level.oversubscription;
    const double cables = std::max(1.0, std::round(capacity / fabric_.link_bandwidth_bytes_per_s));
    tier.up_cables = static_cast<std::uint32_t>(cables);
    tier.up_cable_bytes_per_s = capacity / cables;
    tier.switches = switches_of(i, tier.nodes, level.ports ? down_ports(level) : 0);
  }

  [[noreturn]] void refuse_too_small(const FabricLevel& level) const {
    const std::size_t i = plan_.levels.size() - 1;
    if (!can_be_last(i)) refuse("a rail-optimized fabric needs a level above the leaves, where its rails meet");
    refuse("the fabric holds " + std::to_string(nodes_under(i, level.ports.value_or(0))) + " nodes and " +
           std::to_string(fabric_.nodes) + " are asked for; give level " + level.name +
           " more ports, or write out further levels");
  }

  const FabricPlan& plan_;
  const NodeSpec& node_;
  const FabricSpec& fabric_;
  std::uint64_t rails_;
  std::vector<Tier> tiers_;
};

}  // namespace

std::vector<Tier> size_tiers(const FabricPlan& plan, const NodeSpec& node, const FabricSpec& fabric) {
  return TierSizes(plan, node, fabric).compute();
}

}  // namespace trainsim
