#include "simulator/engine/routes.hpp"

#include <algorithm>
#include <numeric>

namespace trainsim {
namespace {

// Marks the links that two communicators, or two parts of one phase, may load at the same time. The shapes of one
// communicator never meet, nor do communicators on a sequential link: their collectives follow each other on one
// stream.
std::vector<bool> shared_links(const Quotient& quotient, const std::vector<bool>& is_varying) {
  std::vector<bool> is_shared = is_varying;
  std::vector<std::uint32_t> communicator_on(quotient.links.size(), kNone);
  std::vector<std::uint64_t> phase_on(quotient.links.size(), 0);
  std::uint64_t phase_number = 0;
  for (std::uint32_t c = 0; c < quotient.communicators.size(); ++c) {
    for (const auto& shape : quotient.communicators[c].shapes) {
      for (const auto& phase : shape.phases) {
        ++phase_number;
        for (const std::uint32_t part : phase) {
          for (const auto& use : quotient.parts[part].uses) {
            const bool is_other = !quotient.links[use.link].is_sequential && communicator_on[use.link] != kNone &&
                                  communicator_on[use.link] != c;
            if (is_other || phase_on[use.link] == phase_number) is_shared[use.link] = true;
            communicator_on[use.link] = c;
            phase_on[use.link] = phase_number;
          }
        }
      }
    }
  }
  return is_shared;
}

// Of the links that a part has to itself only the slowest can bind it.
const Quotient::ClassUse* slowest_private(const Quotient::PartClass& part, const std::vector<bool>& is_shared,
                                          const std::vector<double>& capacities) {
  const Quotient::ClassUse* slowest = nullptr;
  double most = 0.0;
  for (const auto& use : part.uses) {
    const double s_per_byte = static_cast<double>(use.n) / capacities[use.link];
    if (is_shared[use.link] || s_per_byte <= most) continue;
    most = s_per_byte;
    slowest = &use;
  }
  return slowest;
}

class RoutePlanner {
 public:
  RoutePlanner(const Quotient& quotient, const std::vector<double>& capacities, const std::vector<bool>& is_varying)
      : quotient_(quotient),
        capacities_(capacities),
        is_shared_(shared_links(quotient, is_varying)),
        clock_link_(quotient.links.size(), kNone) {}

  Routes plan() {
    for (const auto& part : quotient_.parts) add(part);
    divide_by_common_factors();
    return std::move(routes_);
  }

 private:
  void add(const Quotient::PartClass& part) {
    const bool is_private = std::ranges::none_of(part.uses, [&](const auto& use) { return is_shared_[use.link]; });
    const auto* slowest = slowest_private(part, is_shared_, capacities_);
    PartRoute route;
    route.is_private = is_private;
    if (is_private) {
      if (slowest != nullptr) route.private_s_per_byte = static_cast<double>(slowest->n) / capacities_[slowest->link];
    } else {
      FlowRoute flow;
      for (const auto& use : part.uses) {
        if (is_shared_[use.link] || &use == slowest) flow.push_back({clock_link(use.link), use.n});
      }
      route.flow_route = static_cast<std::uint32_t>(routes_.flow_routes.size());
      routes_.flow_routes.push_back(std::move(flow));
    }
    routes_.parts.push_back(route);
  }

  std::uint32_t clock_link(std::uint32_t link) {
    if (clock_link_[link] == kNone) {
      clock_link_[link] = static_cast<std::uint32_t>(routes_.shared_links.size());
      routes_.shared_links.push_back(link);
      routes_.shared_capacities_bytes_per_s.push_back(capacities_[link]);
    }
    return clock_link_[link];
  }

  void divide_by_common_factors() {
    std::vector<std::uint64_t> common(routes_.shared_links.size(), 0);
    for (const FlowRoute& route : routes_.flow_routes) {
      for (const RouteHop& hop : route) common[hop.link] = std::gcd(common[hop.link], hop.n);
    }
    for (FlowRoute& route : routes_.flow_routes) {
      for (RouteHop& hop : route) hop.n /= common[hop.link];
    }
    for (std::size_t l = 0; l < common.size(); ++l) {
      routes_.divisors.push_back(static_cast<double>(common[l]));
      routes_.shared_capacities_bytes_per_s[l] /= static_cast<double>(common[l]);
    }
  }

  const Quotient& quotient_;
  const std::vector<double>& capacities_;
  std::vector<bool> is_shared_;
  std::vector<std::uint32_t> clock_link_;
  Routes routes_;
};

}  // namespace

Routes plan_routes(const Quotient& quotient, const std::vector<double>& capacities_bytes_per_s,
                   const std::vector<bool>& is_varying) {
  return RoutePlanner(quotient, capacities_bytes_per_s, is_varying).plan();
}

}  // namespace trainsim
