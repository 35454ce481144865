#include "scenarios/resolve/conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "topologies/name_match.hpp"

namespace trainsim {
namespace {

// A uniform number below `bound`, without the bias of a plain remainder.
std::uint64_t draw_below(std::uint64_t bound, std::mt19937_64& generator) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t unbiased = kMost - kMost % bound;
  std::uint64_t drawn = generator();
  while (drawn >= unbiased) drawn = generator();
  return drawn % bound;
}

std::vector<std::size_t> drawn_ranks(std::size_t count, std::size_t ranks, std::mt19937_64& generator) {
  std::vector<std::size_t> order(ranks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(order[i], order[i + draw_below(ranks - i, generator)]);
  order.resize(count);
  return order;
}

}  // namespace

std::string tenant_key(const Document& document, TenantForm form, std::size_t ordinal) {
  const Node* conditions = document.root.find("conditions");
  const Node* tenants = conditions == nullptr ? nullptr : conditions->find("tenants");
  if (tenants == nullptr) return "conditions.tenants";
  std::size_t seen = 0;
  for (std::size_t i = 0; i < tenants->items.size(); ++i) {
    const bool is_share = tenants->items[i].find("share") != nullptr;
    if (is_share != (form == TenantForm::share)) continue;
    if (seen++ == ordinal) return fmt::format("conditions.tenants.{}", i);
  }
  return "conditions.tenants";
}

std::vector<double> slowdown_of_ranks(const Conditions& conditions, std::int64_t gpus, std::int64_t seed,
                                      Findings& findings) {
  std::vector<double> slowdown(static_cast<std::size_t>(gpus), 1.0);
  std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
  std::set<std::int64_t> named;
  for (std::size_t i = 0; i < conditions.stragglers.size(); ++i) {
    const Straggler& straggler = conditions.stragglers[i];
    if (straggler.gpu) {
      if (*straggler.gpu < gpus && !named.insert(*straggler.gpu).second) {
        findings.fault(fmt::format("conditions.stragglers.{}.gpu", i),
                       fmt::format("GPU {} a second time", *straggler.gpu), "each GPU once");
        continue;
      }
      if (*straggler.gpu < gpus) {
        slowdown[static_cast<std::size_t>(*straggler.gpu)] /= straggler.speed;
        continue;
      }
      findings.fault(fmt::format("conditions.stragglers.{}.gpu", i),
                     fmt::format("there is no GPU {} among the job's {}", *straggler.gpu, gpus),
                     fmt::format("0 to {}", gpus - 1));
    }
    if (straggler.fraction) {
      const auto count = static_cast<std::size_t>(std::llround(*straggler.fraction * static_cast<double>(gpus)));
      for (const std::size_t rank : drawn_ranks(count, slowdown.size(), generator)) slowdown[rank] /= straggler.speed;
      if (count == 0) {
        findings.note(
            fmt::format("conditions.stragglers.{}: {} of {} GPUs rounds to none", i, *straggler.fraction, gpus));
      }
    }
  }
  return slowdown;
}

void degrade_links(const Conditions& conditions, Topology& topology, Findings& findings) {
  if (conditions.links.empty()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < topology.link_count(); ++i) names.push_back(topology.name(LinkId{i}));
  for (std::size_t entry = 0; entry < conditions.links.size(); ++entry) {
    const DegradedLink& degraded = conditions.links[entry];
    bool has_match = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!matches(degraded.match, names[i])) continue;
      has_match = true;
      topology.link(LinkId{i}).capacity_factor *= degraded.bandwidth_factor;
    }
    if (has_match) continue;
    findings.fault(fmt::format("conditions.links.{}.match", entry),
                   fmt::format("no link is called '{}'", degraded.match),
                   fmt::format("a name or a pattern such as {} (`trainsim show` prints the names)",
                               names.empty() ? "node0.nic0" : names.front()));
  }
}

void check_shares(const Conditions& conditions, const Topology& topology, Findings& findings) {
  constexpr std::size_t kMostShares = 32;  // a link keeps a bit for each
  if (conditions.shares.size() > kMostShares) {
    findings.fault("conditions.tenants", fmt::format("{} tenants take a share", conditions.shares.size()),
                   fmt::format("at most {}", kMostShares));
  }
  std::map<std::string, double> taken;
  for (std::size_t i = 0; i < conditions.shares.size(); ++i) {
    const ShareTenant& tenant = conditions.shares[i];
    const std::string key = tenant_key(findings.document(), TenantForm::share, i);
    const auto& tiers = topology.tier_names;
    if (std::find(tiers.begin(), tiers.end(), tenant.tier) == tiers.end()) {
      const std::string hint = nearest(tenant.tier, tiers);
      findings.fault(
          key + ".of",
          fmt::format("the fabric has no tier '{}'{}", tenant.tier,
                      hint.empty() ? "" : fmt::format(" (did you mean '{}'?)", hint)),
          tiers.empty() ? "no share: a single node has no fabric" : fmt::format("{}", fmt::join(tiers, ", ")));
      continue;
    }
    taken[tenant.tier] += tenant.share;
    if (taken[tenant.tier] >= 1.0) {
      findings.fault(key + ".share",
                     fmt::format("the tenants' shares of tier {} sum to {}, which leaves nothing to the job",
                                 tenant.tier, taken[tenant.tier]),
                     "shares that sum to less than 1");
    }
  }
}

}  // namespace trainsim
