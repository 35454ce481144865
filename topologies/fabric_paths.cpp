#include "topologies/fabric_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace trainsim {

FabricPaths::FabricPaths(const Topology& topology) : topology_(topology), up_(collect(true)), down_(collect(false)) {}

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
  constexpr std::size_t kUsualTiers = 4;
  std::vector<Step> steps;
  steps.reserve(kUsualTiers);
  steps.push_back({start, 0, LinkId()});
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

bool FabricPaths::append(VertexId from_nic, VertexId to_nic, std::vector<LinkId>& route) const {
  const std::vector<Step> ascent = climb(from_nic, true);
  const std::vector<Step> descent = climb(to_nic, false);
  const auto depth_of = [](const std::vector<Step>& steps, std::uint32_t at) {
    std::size_t depth = 0;
    for (; at != 0; at = steps[at].previous) ++depth;
    return depth;
  };

  std::size_t best = std::numeric_limits<std::size_t>::max();
  std::uint32_t top_of_ascent = 0;
  std::uint32_t top_of_descent = 0;
  for (std::uint32_t i = 0; i < ascent.size(); ++i) {
    for (std::uint32_t j = 0; j < descent.size(); ++j) {
      if (ascent[i].vertex != descent[j].vertex) continue;
      const std::size_t length = depth_of(ascent, i) + depth_of(descent, j);
      if (length >= best) continue;
      best = length;
      top_of_ascent = i;
      top_of_descent = j;
    }
  }
  if (best == std::numeric_limits<std::size_t>::max()) return false;

  const auto start = static_cast<std::ptrdiff_t>(route.size());
  for (std::uint32_t at = top_of_ascent; at != 0; at = ascent[at].previous) route.push_back(ascent[at].link);
  std::reverse(route.begin() + start, route.end());
  for (std::uint32_t at = top_of_descent; at != 0; at = descent[at].previous) route.push_back(descent[at].link);
  return true;
}

}  // namespace trainsim
