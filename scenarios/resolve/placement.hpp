// Where jobs sit: the training job first, then the tenants in the file's order, each on nodes of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "scenarios/resolve/findings.hpp"
#include "scenarios/resolve/machine.hpp"
#include "simulator/base/ids.hpp"
#include "simulator/conditions/conditions.hpp"
#include "topologies/topology.hpp"

namespace trainsim {

// The nodes of a machine that no job holds yet.
class FreeNodes {
 public:
  explicit FreeNodes(const Topology& topology);

  // `count` nodes: the lowest numbers (packed), or dealt round the leaves, one from each in turn (scattered).
  // REQUIRES: at least `count` nodes are free; placement is not file.
  std::vector<std::uint32_t> take(std::int64_t count, PlacementKind placement);
  // Marks a node as held; nothing happens when it already is.
  void hold(std::uint32_t node);
  [[nodiscard]] std::int64_t count() const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> dealt() const;

  std::vector<std::uint32_t> leaf_of_node_;
  std::vector<bool> is_free_;
};

// rank -> GPU: the first `size.gpus_per_node` GPUs of each of the job's nodes, or what the placement file says.
// nullopt, with faults, when the file is wrong.
std::optional<std::vector<GpuId>> place_job(const ClusterSection& cluster, const JobSize& size,
                                            const Topology& topology, FreeNodes& free, Findings& findings);

// All GPUs of each traffic tenant's nodes. Faults where nodes run out (a placement file may leave too few whole ones).
std::vector<std::vector<GpuId>> place_tenants(const Conditions& conditions, const Topology& topology, FreeNodes& free,
                                              Findings& findings);

// A placement file: one GPU per line, in rank order, as `node.gpu` or as the GPU's index in the machine; empty lines
// are skipped. Faults point into that file.
std::optional<std::vector<GpuId>> read_ranks(const std::filesystem::path& path, std::int64_t ranks,
                                             const Topology& topology, Findings& findings);

}  // namespace trainsim
