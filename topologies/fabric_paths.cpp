#include "topologies/fabric_paths.hpp"

#include <algorithm>
#include <limits>

namespace trainsim {

FabricPaths::FabricPaths(const Topology& topology)
    : topology_(topology), up_(collect(true)), down_(collect(false)) {}

FabricPaths::Rows FabricPaths::collect(bool upwards) const {
  const auto belongs = [&](LinkId id) {
    const Link& link = topology_.link(id);
    return !link.is_removed && link.is_up == upwards && (link.kind == LinkKind::nic || link.kind == LinkKind::fabric);
  };
  const auto lower_end = [&](LinkId id) { return upwards ? topology_.source(id) : topology_.target(id); };

  Rows rows;
  rows.begin.assign(topology_.device_count() + 1, 0);
  for (std::size_t i = 0; i < topology_.link_count(); ++i) {
    if (belongs(LinkId(i))) ++rows.begin[lower_end(LinkId(i)).index() + 1];
  }
  for (std::size_t v = 1; v < rows.begin.size(); ++v) rows.begin[v] += rows.begin[v - 1];
  rows.links.resize(rows.begin.back());
  std::vector<std::uint32_t> next(rows.begin.begin(), rows.begin.end() - 1);
  for (std::size_t i = 0; i < topology_.link_count(); ++i) {
    if (belongs(LinkId(i))) rows.links[next[lower_end(LinkId(i)).index()]++] = LinkId(i);
  }
  return rows;
}

bool FabricPaths::is_connected(VertexId nic) const {
  const std::size_t v = nic.index();
  return up_.begin[v] < up_.begin[v + 1] && down_.begin[v] < down_.begin[v + 1];
}

VertexId FabricPaths::leaf_of(VertexId nic) const { return topology_.target(up_.links[up_.begin[nic.index()]]); }

std::vector<FabricPaths::Step> FabricPaths::climb(VertexId start, bool upwards) const {
  const Rows& rows = upwards ? up_ : down_;
  std::vector<Step> steps{{start, 0, LinkId()}};
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const std::size_t v = steps[i].vertex.index();
    for (std::uint32_t k = rows.begin[v]; k < rows.begin[v + 1]; ++k) {
      const LinkId link = rows.links[k];
      const VertexId next = upwards ? topology_.target(link) : topology_.source(link);
      const bool is_known =
          std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return step.vertex == next; });
      if (!is_known) steps.push_back({next, i, link});
    }
  }
  return steps;
}

std::optional<std::vector<LinkId>> FabricPaths::path(VertexId from_nic, VertexId to_nic) const {
  const std::vector<Step> ascent = climb(from_nic, true);
  const std::vector<Step> descent = climb(to_nic, false);
  const auto links_until = [](const std::vector<Step>& steps, std::uint32_t at) {
    std::vector<LinkId> links;
    for (; at != 0; at = steps[at].previous) links.push_back(steps[at].link);
    return links;
  };

  // Both climbs list vertices by rising distance, so the first meeting of each ascent step is its nearest.
  std::optional<std::vector<LinkId>> best;
  for (std::uint32_t i = 0; i < ascent.size(); ++i) {
    for (std::uint32_t j = 0; j < descent.size(); ++j) {
      if (ascent[i].vertex != descent[j].vertex) continue;
      std::vector<LinkId> links = links_until(ascent, i);
      std::reverse(links.begin(), links.end());
      const std::vector<LinkId> down = links_until(descent, j);
      links.insert(links.end(), down.begin(), down.end());
      if (!best || links.size() < best->size()) best = std::move(links);
      break;
    }
  }
  return best;
}

}  // namespace trainsim
