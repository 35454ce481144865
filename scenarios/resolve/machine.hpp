// The machine under the job: its size in GPUs and nodes, and the fabric with its defaults.
#pragma once

#include <cstdint>
#include <optional>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/findings.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

struct JobSize {
  std::int64_t nodes = 0;
  std::int64_t gpus_per_node = 0;  // that the job uses of each
  std::int64_t gpus = 0;
};

// nullopt, with a fault, when the GPUs are not a whole number of nodes (or less than one).
std::optional<JobSize> resolve_size(const ClusterSection& cluster, Findings& findings);

// Fills the defaults into `scenario.cluster.fabric`; nullopt, with faults, when the fabric cannot hold the job and its
// tenants.
std::optional<FabricSpec> resolve_fabric(Scenario& scenario, const JobSize& size, Findings& findings);

// The node as the fabric sees it: `fabric.nics_per_node` in place of the node's own number.
NodeSpec node_of(const ClusterSection& cluster);

}  // namespace trainsim
