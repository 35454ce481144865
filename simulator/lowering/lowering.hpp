// Collectives lowered to Transfers: pure functions of communicator, routes and bytes. One file per algorithm,
// registered in lowering.cpp. Closed forms: Thakur et al. 2005; latencies and efficiencies: catalog/collectives.yaml.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/lowering/transfer.hpp"
#include "topologies/router.hpp"
#include "workloads/program.hpp"

namespace trainsim {

// Constants of the collective library, per link kind, from the catalog.
struct CollectiveCatalog {
  struct PerKind {
    double efficiency = 1.0;     // achievable share of a link's bandwidth
    double hop_latency_s = 0.0;  // software latency of one ring or tree step over such a link, the wire's own left out
  };
  PerKind nvlink, pcie, socket, nic, fabric;  // nvlink: the accelerators' own links, xGMI and RoCE ports too
  double base_latency_s = 0.0;                // per collective
  double tree_efficiency = 1.0;               // rate of a tree relative to a ring over the same links
  bool is_estimated = false;                  // some figure has no source
  std::string source;
  [[nodiscard]] const PerKind& of(LinkKind kind) const;
  // The user's own calibration (software.tuning): multiplies every link's efficiency.
  void tune(double efficiency_factor);
};

// The shipped constants. `protocol` is the fabric's (infiniband, roce, efa, slingshot, ethernet-tcp), `architecture`
// the accelerator's. Throws std::invalid_argument for one that the catalog does not have.
CollectiveCatalog collective_catalog(std::string_view protocol, std::string_view architecture);
std::string_view collective_catalog_sha256();

struct LoweringContext {
  const Router& router;
  const CollectiveCatalog& catalog;
  const std::vector<GpuId>& gpu_of_rank;  // placement
};

// What a link can carry of collectives' payload: capacity times the catalog's efficiency for its kind.
double usable_capacity_bytes_per_s(const Topology& topology, const CollectiveCatalog& catalog, LinkId link);

// `algorithm` is auto, ring, tree or hierarchical (all-reduce); others have auto and ring; a send is direct under any.
// auto takes whichever of ring and tree is faster on an idle machine. bytes: see Collective. A communicator of one rank
// gives an empty Transfer. A broadcast's root, and a send's sender, is the first rank.
// Throws std::invalid_argument for an algorithm that the collective does not have, NoRoute for an unreachable pair.
Transfer lower(const Collective& collective, std::string_view algorithm, std::span<const RankId> ranks,
               const LoweringContext& context);

// Seconds on an idle machine, the sum over phases of the larger of: the slowest part alone, latency + bytes · max(n /
// capacity); and the slowest link under all parts together, first latency + sum of bytes · n / capacity. Exact when one
// part, or equal parts side by side, make the phase; else a lower bound.
double idle_time_s(const Transfer& transfer, const LoweringContext& context);

std::vector<std::string> algorithm_names();  // `auto` included
// What `algorithm` chooses among: itself, or what auto tries.
std::vector<std::string> candidate_algorithms(CollectiveKind kind, std::string_view algorithm);
bool has_algorithm(CollectiveKind kind, std::string_view algorithm);

}  // namespace trainsim
