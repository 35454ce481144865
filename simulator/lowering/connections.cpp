#include "simulator/lowering/connections.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace trainsim {

bool NodeGroups::has_equal_nodes() const {
  return std::all_of(nodes.begin(), nodes.end(),
                     [this](const auto& members) { return members.size() == nodes.front().size(); });
}

std::size_t NodeGroups::largest_node() const {
  std::size_t largest = 0;
  for (const auto& members : nodes) largest = std::max(largest, members.size());
  return largest;
}

Communicator::Communicator(std::span<const RankId> ranks, const LoweringContext& context)
    : context_(context), ranks_(ranks) {
  gpus_.reserve(ranks.size());
  for (const RankId rank : ranks) gpus_.push_back(context.gpu_of_rank[rank.index()]);
  known_.resize(ranks.size());
  group_by_node();
}

void Communicator::group_by_node() {
  const Topology& topology = context_.router.topology();
  constexpr std::uint32_t kUnseen = 0xffffffffU;
  std::vector<std::uint32_t> group_of(topology.node_count(), kUnseen);
  nodes_.reserve(gpus_.size());
  for (Position member = 0; member < size(); ++member) {
    std::uint32_t& group = group_of[topology.node_of(gpus_[member])];
    if (group == kUnseen) {
      group = static_cast<std::uint32_t>(groups_.nodes.size());
      groups_.nodes.emplace_back();
    }
    groups_.nodes[group].push_back(member);
    nodes_.push_back(group);
  }
  for (auto& members : groups_.nodes) {
    std::sort(members.begin(), members.end(), [this](Position a, Position b) { return gpus_[a] < gpus_[b]; });
  }
}

void Communicator::number_lanes() {
  lanes_.resize(gpus_.size());
  for (const auto& members : groups_.nodes) {
    std::map<std::uint32_t, std::vector<VertexId>> nics_of_rail;
    for (const Position member : members) {
      const std::vector<VertexId> nics = context_.router.nics_of(gpus_[member]);
      if (nics.empty()) continue;
      const std::uint32_t rail = context_.router.topology().device(nics.front()).rail;
      std::vector<VertexId>& seen = nics_of_rail[rail];
      auto place = std::find(seen.begin(), seen.end(), nics.front());
      if (place == seen.end()) place = seen.insert(seen.end(), nics.front());
      lanes_[member] = {static_cast<std::uint32_t>(place - seen.begin()), rail};
    }
  }
}

Communicator::Lane Communicator::lane(Position member) {
  if (lanes_.empty()) number_lanes();
  return lanes_[member];
}

const Communicator::KnownRoute& Communicator::find_route(Connection connection) {
  std::vector<KnownRoute>& known = known_[connection.from];
  for (const KnownRoute& one : known) {
    if (one.to == connection.to) return one;
  }
  const std::vector<LinkId> links = context_.router.route(gpus_[connection.from], gpus_[connection.to]);
  KnownRoute found = measured(connection, links);
  found.first = static_cast<std::uint32_t>(pool_.size());
  pool_.insert(pool_.end(), links.begin(), links.end());
  return known.emplace_back(found);
}

Communicator::KnownRoute Communicator::measured(Connection connection, const std::vector<LinkId>& links) const {
  const CollectiveCatalog& catalog = context_.catalog;
  const bool leaves_node = nodes_[connection.from] != nodes_[connection.to];
  KnownRoute found;
  found.to = connection.to;
  found.count = static_cast<std::uint32_t>(links.size());
  found.share = same_for_all(1.0);
  for (const LinkId link : links) {
    const LinkKind kind = context_.router.topology().link(link).kind;
    found.uses_host = found.uses_host || !is_between_gpus(kind);
    const bool limits = !leaves_node || kind == LinkKind::nic || kind == LinkKind::fabric;
    for (const Protocol protocol : kAllProtocols) {
      double& software_s = found.latency_s[protocol];
      software_s = std::max(software_s, catalog.of(kind).hop_latency_s[protocol]);
      double& share = found.share[protocol];
      if (limits) share = std::min(share, catalog.share_of(kind)[protocol]);
    }
  }
  const double wire_s = context_.router.latency_s(links);
  for (const Protocol protocol : kAllProtocols) found.latency_s[protocol] += wire_s;
  return found;
}

Communicator::Route Communicator::route(Connection connection) {
  const KnownRoute& known = find_route(connection);
  return {{pool_.data() + known.first, known.count}, known.latency_s, known.share, known.uses_host};
}

std::vector<LinkUse> Communicator::uses(std::span<const Connection> connections, Steps& steps) {
  std::size_t crossings = 0;
  for (const Connection connection : connections) {
    const Route found = route(connection);
    crossings += found.links.size();
    const bool leaves_node = nodes_[connection.from] != nodes_[connection.to];
    steps.leaves_node = steps.leaves_node || leaves_node;
    steps.uses_host = steps.uses_host || (!leaves_node && found.uses_host);
    for (const Protocol protocol : kAllProtocols) {
      double& step_s = (leaves_node ? steps.inter_s : steps.intra_s)[protocol];
      step_s = std::max(step_s, found.latency_s[protocol]);
      double& share = (leaves_node ? steps.inter_share : steps.intra_share)[protocol];
      share = std::min(share, found.share[protocol]);
    }
  }
  const bool is_dense = crossings * kDenseFactor > context_.router.topology().link_count();
  return is_dense ? counted_in_array(connections) : counted_by_sorting(connections);
}

ByProtocol Communicator::shares(const std::vector<LinkUse>& uses, const Steps& steps) const {
  if (!steps.leaves_node) return steps.intra_share;
  const Topology& topology = context_.router.topology();
  double intra_s = 0.0, inter_s = 0.0;  // of a byte per connection
  for (const LinkUse& use : uses) {
    const LinkKind kind = topology.link(use.link).kind;
    double& busiest_s = kind == LinkKind::nic || kind == LinkKind::fabric ? inter_s : intra_s;
    if (kind == LinkKind::pcie || kind == LinkKind::socket) continue;  // on the way to a NIC, or known by intra_share
    busiest_s = std::max(busiest_s, use.n / usable_capacity_bytes_per_s(topology, context_.catalog, use.link));
  }
  ByProtocol shares;
  for (const Protocol protocol : kAllProtocols) {
    const double intra = steps.intra_share[protocol], inter = steps.inter_share[protocol];
    if (intra > 0 && inter > 0)
      shares[protocol] = std::max(intra_s, inter_s) / std::max(intra_s / intra, inter_s / inter);
  }
  return shares;
}

std::vector<LinkUse> Communicator::counted_in_array(std::span<const Connection> connections) {
  counts_.resize(context_.router.topology().link_count());
  for (const Connection connection : connections) {
    for (const LinkId link : route(connection).links) counts_[link.index()] += connection.times;
  }
  std::vector<LinkUse> uses;
  for (std::size_t link = 0; link < counts_.size(); ++link) {
    if (counts_[link] > 0) uses.push_back({LinkId(link), std::exchange(counts_[link], 0U)});
  }
  return uses;
}

std::vector<LinkUse> Communicator::counted_by_sorting(std::span<const Connection> connections) {
  std::vector<LinkUse> crossed;
  for (const Connection connection : connections) {
    for (const LinkId link : route(connection).links) crossed.push_back({link, connection.times});
  }
  std::sort(crossed.begin(), crossed.end(), [](const LinkUse& a, const LinkUse& b) { return a.link < b.link; });
  std::vector<LinkUse> uses;
  for (const LinkUse& use : crossed) {
    if (!uses.empty() && uses.back().link == use.link) {
      uses.back().n += use.n;
    } else {
      uses.push_back(use);
    }
  }
  return uses;
}

}  // namespace trainsim
