// Collectives lowered to Transfers: pure functions of communicator, routes and bytes. One file per algorithm,
// registered in lowering.cpp. Closed forms: Thakur et al. 2005; latencies and efficiencies: catalog/collectives.yaml.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/lowering/collective_catalog.hpp"
#include "simulator/lowering/transfer.hpp"
#include "topologies/router.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct LoweringContext {
  const Router& router;
  const CollectiveCatalog& catalog;
  const std::vector<GpuId>& gpu_of_rank;  // placement
  double send_delay_s = 0.0;              // of a send between nodes, beside what its links need
};

// What software.collectives of a scenario says.
struct CollectiveChoice {
  std::string algorithm = "auto";
  std::string protocol = "auto";  // or one of NCCL's; where an algorithm or a link does not have it, any that it has
  bool in_network = false;        // auto may reduce in the network's switches
};

// What a link can carry of collectives' payload: capacity times the catalog's efficiency for its kind.
double usable_capacity_bytes_per_s(const Topology& topology, const CollectiveCatalog& catalog, LinkId link);

// Algorithms: auto, ring; tree, hierarchical, nvls and collnet for all-reduce; pat for all-gather and reduce-scatter. A
// send is direct under any. auto takes what is fastest on an idle machine of ring, tree, nvls and, in_network, collnet.
// nvls, collnet and pat are a ring where hardware or placement have no place for them. bytes: see Collective. A
// communicator of one rank gives an empty Transfer. A broadcast's root, and a send's sender, is the first rank. Throws
// std::invalid_argument for an algorithm that the collective does not have or a protocol that does not exist, NoRoute
// for an unreachable pair.
Transfer lower(const Collective& collective, const CollectiveChoice& choice, std::span<const RankId> ranks,
               const LoweringContext& context);

// Seconds on an idle machine, the sum over phases of the larger of: the slowest part alone, latency + bytes · max(n /
// capacity); and the slowest link under all parts together, first latency + sum of bytes · n / capacity. Exact when one
// part, or equal parts side by side, make the phase; else a lower bound.
double idle_time_s(const Transfer& transfer, const LoweringContext& context);

std::vector<std::string> algorithm_names();  // `auto` included
std::string algorithm_help(std::string_view name);
bool has_algorithm(CollectiveKind kind, std::string_view algorithm);

}  // namespace trainsim
