// Constants of the collective library, from catalog/collectives.yaml: what it achieves over each kind of link under
// each protocol. A share below is of what the link carries under Simple; a share of 0 means that the protocol is not
// used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/lowering/protocol.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct CollectiveCatalog {
  struct PerKind {
    double efficiency = 1.0;   // achievable share of a link's bandwidth
    ByProtocol hop_latency_s;  // software latency of one ring or tree step over such a link, the wire's own left out
  };
  PerKind nvlink, pcie, socket, nic, fabric;  // nvlink: the accelerators' own links, xGMI and RoCE ports too
  ByProtocol nvlink_share = same_for_all(1.0), pcie_share = same_for_all(1.0), fabric_share = same_for_all(1.0);
  ByProtocol base_latency_s;  // per collective

  // Share of a step that a member of a ring in one node spends on copying its own piece.
  double ring_own_step = 0.0;
  double tree_efficiency = 1.0;                 // rate of a tree relative to a ring over the same links
  std::uint32_t tree_most_ranks = 0xffffffffU;  // of a node: longer chains are used under LL only
  double pat_efficiency = 1.0;                  // of parallel aggregated trees
  // Of a network whose chunks wait (EFA), under Simple: a step of a tree, and of a ring that goes round only once,
  // relative to a step of an all-reduce ring.
  double tree_hop_factor = 1.0;
  double one_round_hop_factor = 1.0;

  // Reduction and multicast in the NVLink switch. No such switch: share 0.
  struct Nvls {
    double share = 0.0;  // of a ring's rate over the same links
    double latency_s = 0.0;
    std::uint32_t most_ranks = 0;  // of one domain
  } nvls;
  // Reduction in the network's switches (SHARP). A network without: latency 0.
  struct Collnet {
    double nvlink_share = 1.0;  // of a ring's rate over the accelerators' links
    double ll_share = 1.0;      // of that, for small messages
    ByProtocol latency_s;
    [[nodiscard]] bool exists() const { return latency_s[Protocol::simple] > 0; }
  } collnet;
  // Sends, and the pairs of an all-to-all, each on its own channels.
  struct Pairs {
    ByProtocol base_latency_s;
    double group_factor = 1.0;  // base latency of an all-to-all over that of a send
    double efficiency = 1.0;    // of a ring's rate over the same links
    double ll_share = 0.5;      // of the link, for one pair's LL channels; several pairs reach one half together
    double own_share = 0.0;     // of the piece that a member keeps, which its links' channels copy as well
  } pairs;

  bool is_estimated = false;  // some figure has no source
  std::string source;

  [[nodiscard]] const PerKind& of(LinkKind kind) const;
  [[nodiscard]] const ByProtocol& share_of(LinkKind kind) const;
  // The user's own calibration (software.tuning): multiplies every link's efficiency.
  void tune(double efficiency_factor);
};

// The shipped constants. `protocol` is the fabric's (infiniband, roce, efa, slingshot, ethernet-tcp), `architecture`
// the accelerator's. Throws std::invalid_argument for one that the catalog does not have.
CollectiveCatalog collective_catalog(std::string_view protocol, std::string_view architecture);
std::string_view collective_catalog_sha256();

}  // namespace trainsim
