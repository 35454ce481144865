#include "scenarios/run/network.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "simulator/folding/bounded_links.hpp"
#include "simulator/lowering/menu.hpp"

namespace trainsim {
namespace {

bool is_send_group(Group group) { return group == Group::pipeline_forward || group == Group::pipeline_backward; }

std::vector<Group> groups_of(const Program& program) {
  std::set<Group> groups;
  for (const Collective& collective : program.collectives) groups.insert(collective.group);
  return {groups.begin(), groups.end()};
}

class NetworkBuilder {
 public:
  NetworkBuilder(const ResolvedScenario& scenario, const Program& program)
      : scenario_(scenario),
        program_(program),
        router_(scenario.topology,
                {scenario.scenario.cluster.node.pcie.peer_to_peer, scenario.scenario.cluster.node.nics.gpudirect}),
        context_{router_, scenario.collectives, scenario.gpu_of_rank, scenario.scenario.conditions.message_delay_s} {}

  Network build() {
    add_ranks();
    add_links();
    const RankGrid grid(scenario_.plan);
    for (const Group group : groups_of(program_)) {
      for (const auto& ranks : grid.communicators(group, scenario_.plan)) add_communicator(group, ranks);
    }
    for (std::size_t t = 0; t < scenario_.gpus_of_tenant.size(); ++t) add_tenant(t);
    drop_bounded_links(network_, scenario_.topology);
    return std::move(network_);
  }

 private:
  void add_ranks() {
    const RankGrid grid(scenario_.plan);
    for (std::size_t r = 0; r < static_cast<std::size_t>(grid.size()); ++r) {
      Network::Rank rank;
      rank.program = static_cast<std::uint32_t>(grid.point(RankId(r)).pipeline);
      rank.slowdown = scenario_.slowdown_of_rank[r];
      network_.ranks.push_back(rank);
    }
  }

  void add_links() {
    const Topology& topology = scenario_.topology;
    for (std::size_t l = 0; l < topology.link_count(); ++l) {
      const Link& link = topology.link(LinkId(l));
      Network::NetworkLink entry;
      entry.capacity_bytes_per_s = usable_capacity_bytes_per_s(topology, scenario_.collectives, LinkId(l));
      entry.kind = link.kind;
      entry.tier = link.tier;
      entry.is_up = link.is_up;
      entry.shares = shares_on(link);
      network_.links.push_back(entry);
    }
  }

  // A share "of" a tier acts on the links that join that tier to what lies below it.
  [[nodiscard]] std::uint32_t shares_on(const Link& link) const {
    if (link.kind != LinkKind::nic && link.kind != LinkKind::fabric) return 0;
    const std::size_t upper = link.kind == LinkKind::nic ? 0 : link.tier + 1U;
    const auto& tiers = scenario_.topology.tier_names;
    const auto& shares = scenario_.scenario.conditions.shares;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (upper < tiers.size() && tiers[upper] == shares[i].tier) bits |= 1U << i;
    }
    return bits;
  }

  void add_communicator(Group group, const std::vector<RankId>& ranks) {
    const auto index = static_cast<std::uint32_t>(network_.communicators.size());
    Network::Communicator communicator;
    communicator.kind = static_cast<std::uint32_t>(group);
    communicator.stream = static_cast<std::uint32_t>(stream_of(group));
    communicator.is_ordered = is_send_group(group);
    for (const RankId rank : ranks) communicator.members.push_back(rank.value);
    add_uses(communicator, group, ranks);
    network_.communicators.push_back(std::move(communicator));
    const auto slot = static_cast<std::size_t>(group);
    if (!is_send_group(group)) {
      for (const RankId rank : ranks) network_.ranks[rank.index()].slots[slot] = index;
      return;
    }
    const std::size_t receives = group == Group::pipeline_forward ? kReceivesForward : kReceivesBackward;
    network_.ranks[ranks.front().index()].slots[slot] = index;
    network_.ranks[ranks.back().index()].slots[receives] = index;
  }

  // One shape for each kind, algorithm and protocol that a collective of the group takes.
  void add_uses(Network::Communicator& communicator, Group group, const std::vector<RankId>& ranks) {
    std::map<CollectiveKind, CollectiveMenu> menus;
    std::map<std::pair<CollectiveKind, CollectiveMenu::Pick>, std::uint32_t> shape_of;
    for (std::uint32_t c = 0; c < program_.collectives.size(); ++c) {
      const Collective& collective = program_.collectives[c];
      if (collective.group != group) continue;
      auto menu = menus.find(collective.kind);
      if (menu == menus.end()) {
        CollectiveMenu made(collective.kind, choice_for(collective.kind), ranks, context_);
        menu = menus.emplace(collective.kind, std::move(made)).first;
      }
      CollectiveMenu::Pick pick = menu->second.fastest(collective.bytes);
      const auto next = static_cast<std::uint32_t>(communicator.shapes.size());
      const auto [entry, is_new] = shape_of.try_emplace({collective.kind, pick}, next);
      if (is_new) communicator.shapes.push_back(menu->second.transfer(pick, 1.0));
      communicator.uses.push_back({c, entry->second, collective.bytes});
    }
  }

  // An algorithm that a kind of collective does not have leaves it to auto.
  [[nodiscard]] CollectiveChoice choice_for(CollectiveKind kind) const {
    CollectiveChoice choice = scenario_.scenario.software.collectives;
    if (!has_algorithm(kind, choice.algorithm)) choice.algorithm = "auto";
    return choice;
  }

  void add_tenant(std::size_t tenant) {
    const TrafficTenant& traffic = scenario_.scenario.conditions.traffic[tenant];
    const auto& gpus = scenario_.gpus_of_tenant[tenant];
    std::vector<RankId> ranks;
    for (std::size_t r = 0; r < gpus.size(); ++r) ranks.emplace_back(r);
    const LoweringContext context{router_, scenario_.collectives, gpus};
    Network::Communicator communicator;
    communicator.kind = static_cast<std::uint32_t>(kGroups + tenant);
    const Collective collective{"", kind_of(traffic.kind), Group::data, traffic.bytes};
    communicator.shapes.push_back(lower(collective, {}, ranks, context));
    communicator.uses.push_back({0, 0, 1.0});  // the shape carries the payload: auto chooses by it
    network_.communicators.push_back(std::move(communicator));
  }

  static CollectiveKind kind_of(const std::string& name) {
    if (name == "all-gather") return CollectiveKind::all_gather;
    if (name == "reduce-scatter") return CollectiveKind::reduce_scatter;
    if (name == "all-to-all") return CollectiveKind::all_to_all;
    if (name == "broadcast") return CollectiveKind::broadcast;
    return CollectiveKind::all_reduce;
  }

  const ResolvedScenario& scenario_;
  const Program& program_;
  Router router_;
  LoweringContext context_;
  Network network_;
};

}  // namespace

std::string_view name_of(Group group) {
  static constexpr std::array<std::string_view, kGroups> names = {"tensor",
                                                                  "context",
                                                                  "data",
                                                                  "shard",
                                                                  "replica",
                                                                  "expert",
                                                                  "expert tensor",
                                                                  "expert data",
                                                                  "pipeline forward",
                                                                  "pipeline backward",
                                                                  "embedding",
                                                                  "gradient norm"};
  return names[static_cast<std::size_t>(group)];
}

Network build_network(const ResolvedScenario& scenario, const Program& program) {
  const Document& document = scenario.scenario.document;
  try {
    return NetworkBuilder(scenario, program).build();
  } catch (const NoRoute& error) {
    throw InputError({{place_of(document, "cluster"), "cluster", error.what(), "links that join all GPUs of the job"}});
  } catch (const std::invalid_argument& error) {
    const std::string key = "software.collectives.algorithm";
    throw InputError(
        {{place_of(document, key), key, error.what(), "auto, or an algorithm that every communicator can use"}});
  }
}

std::vector<TrafficLoop> traffic_loops(const ResolvedScenario& scenario, const Quotient& quotient) {
  std::vector<TrafficLoop> loops;
  const auto& traffic = scenario.scenario.conditions.traffic;
  for (std::size_t t = 0; t < traffic.size(); ++t) {
    const auto communicator = std::ranges::find(quotient.communicators, static_cast<std::uint32_t>(kGroups + t),
                                                &Quotient::CommunicatorClass::kind);
    const auto index = static_cast<std::uint32_t>(communicator - quotient.communicators.begin());
    loops.push_back({index, traffic[t].every_s, traffic[t].from_s, traffic[t].to_s});
  }
  return loops;
}

std::vector<ShareLoop> share_loops(const ResolvedScenario& scenario) {
  std::vector<ShareLoop> loops;
  for (const ShareTenant& tenant : scenario.scenario.conditions.shares) {
    loops.push_back({tenant.share, tenant.busy_s, tenant.quiet_s});
  }
  return loops;
}

}  // namespace trainsim
