#include "simulator/folding/bounded_links.hpp"

#include <algorithm>
#include <vector>

namespace trainsim {
namespace {

class BoundedLinks {
 public:
  BoundedLinks(const Network& network, const Topology& topology)
      : network_(network), topology_(topology), state_(network.links.size(), State::unused) {
    for (const auto& communicator : network.communicators) {
      for (const Transfer& shape : communicator.shapes) mark_used(shape);
    }
  }

  // By link: whether it is bounded. From the leaf upwards, so that what bounds a link is settled before it. Only
  // between switches: there a route climbs, then descends, and never turns round on the spot; inside a node it may (a
  // copy through host memory passes its PCIe switch twice).
  std::vector<bool> find() {
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t l = 0; l < network_.links.size(); ++l) {
      const bool is_fabric = network_.links[l].kind == LinkKind::fabric;
      if (state_[l] == State::used && is_fabric && network_.links[l].shares == 0) candidates.push_back(l);
    }
    std::ranges::stable_sort(candidates, {}, [&](std::uint32_t l) { return network_.links[l].tier; });
    for (const std::uint32_t link : candidates) try_to_drop(link);
    std::vector<bool> dropped(state_.size());
    for (std::size_t l = 0; l < state_.size(); ++l) dropped[l] = state_[l] == State::dropped;
    return dropped;
  }

 private:
  // A pinned link bounds a dropped one and must stay; a dropped one may bound others, since pinned links bound it.
  enum class State : std::uint8_t { unused, used, pinned, dropped };

  void mark_used(const Transfer& shape) {
    for (const Phase& phase : shape.phases) {
      for (const Part& part : phase.parts) {
        for (const LinkUse& use : part.uses) state_[use.link.index()] = State::used;
      }
    }
  }

  void try_to_drop(std::uint32_t link) {
    if (state_[link] != State::used) return;
    if (!drop_if_bounded(link, links_into(topology_.source(LinkId(link)), topology_.target(LinkId(link))))) {
      drop_if_bounded(link, links_out_of(topology_.target(LinkId(link)), topology_.source(LinkId(link))));
    }
  }

  bool drop_if_bounded(std::uint32_t link, const std::vector<std::uint32_t>& neighbours) {
    double most = 0.0;
    for (const std::uint32_t neighbour : neighbours) most += network_.links[neighbour].capacity_bytes_per_s;
    if (neighbours.empty() || most > network_.links[link].capacity_bytes_per_s * (1.0 + 1e-12)) return false;
    for (const std::uint32_t neighbour : neighbours) {
      if (state_[neighbour] == State::used) state_[neighbour] = State::pinned;
    }
    state_[link] = State::dropped;
    return true;
  }

  // Used links into `vertex`, but for the one from `except`: nothing turns round on the spot.
  [[nodiscard]] std::vector<std::uint32_t> links_into(VertexId vertex, VertexId except) const {
    std::vector<std::uint32_t> result;
    const auto [begin, end] = boost::in_edges(vertex.index(), topology_.graph());
    for (auto edge = begin; edge != end; ++edge) {
      const LinkId link = topology_.graph()[*edge];
      if (topology_.source(link) != except && state_[link.index()] != State::unused) result.push_back(link.value);
    }
    return result;
  }

  [[nodiscard]] std::vector<std::uint32_t> links_out_of(VertexId vertex, VertexId except) const {
    std::vector<std::uint32_t> result;
    const auto [begin, end] = boost::out_edges(vertex.index(), topology_.graph());
    for (auto edge = begin; edge != end; ++edge) {
      const LinkId link = topology_.graph()[*edge];
      if (topology_.target(link) != except && state_[link.index()] != State::unused) result.push_back(link.value);
    }
    return result;
  }

  const Network& network_;
  const Topology& topology_;
  std::vector<State> state_;
};

}  // namespace

void drop_bounded_links(Network& network, const Topology& topology) {
  const std::vector<bool> dropped = BoundedLinks(network, topology).find();
  for (auto& communicator : network.communicators) {
    for (Transfer& shape : communicator.shapes) {
      for (Phase& phase : shape.phases) {
        for (Part& part : phase.parts) {
          std::erase_if(part.uses, [&](const LinkUse& use) { return dropped[use.link.index()]; });
        }
      }
    }
  }
}

}  // namespace trainsim
