#include "scenarios/resolve/software.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "workloads/rank_grid.hpp"

namespace trainsim {
namespace {

std::optional<Stack> find_stack(const Scenario& scenario, Findings& findings) {
  const std::string& name = scenario.software.stack;
  const std::string& architecture = scenario.cluster.node.accelerator.architecture;
  try {
    if (scenario.software.stack_file) return stack_from_file(*scenario.software.stack_file, architecture);
    return catalog_stack(name, architecture);
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.diagnostics()) findings.fault_at(fault.where, fault.what, fault.allowed);
    return std::nullopt;
  } catch (const std::out_of_range&) {
    findings.fault("software.stack", fmt::format("there is no stack '{}'", name),
                   fmt::format("{}", fmt::join(stack_names(), ", ")));
    return std::nullopt;
  }
}

std::optional<KernelEfficiency> find_efficiency(const Accelerator& accelerator, Findings& findings) {
  try {
    return kernel_efficiency(accelerator.base);
  } catch (const std::out_of_range&) {
    findings.fault(
        "cluster.node", fmt::format("no kernel figures are known for the accelerator '{}'", accelerator.name),
        fmt::format("an accelerator among, or with a base among, {}", fmt::join(kernel_efficiency_names(), ", ")));
    return std::nullopt;
  }
}

// Generations of fused attention that can be used, newest last; 0 is unfused and always possible.
std::vector<int> generations(const KernelEfficiency& efficiency, const std::string& precision) {
  std::vector<int> possible = {0};
  if (element_bytes(precision) > 2) return possible;  // the fused kernels compute in 16 bits
  for (const auto& [generation, rates] : efficiency.attention) possible.push_back(generation);
  return possible;
}

// False, with a fault, when the file asks for a generation that is not possible.
bool resolve_flash_attention(Scenario& scenario, Software& found, Findings& findings) {
  const std::string& accelerator = scenario.cluster.node.accelerator.name;
  const std::string& precision = scenario.training.precision;
  const std::vector<int> possible = generations(found.efficiency, precision);
  std::optional<int>& chosen = scenario.software.flash_attention;
  const int wanted = chosen.value_or(found.stack.kernels.flash_attention);
  int newest = 0;
  for (const int generation : possible) {
    if (generation <= wanted) newest = generation;
  }
  if (chosen && newest != wanted) {
    findings.fault("software.flash_attention",
                   fmt::format("generation {} has no figures on {} in {}", wanted, accelerator, precision),
                   fmt::format("{}", fmt::join(possible, ", ")));
    return false;
  }
  if (newest != wanted) {
    findings.note(fmt::format("flash_attention is {} instead of {}'s {}, for which there are no figures on {} in {}",
                              newest, found.stack.name, wanted, accelerator, precision));
  }
  chosen = newest;
  found.stack.kernels.flash_attention = newest;
  return true;
}

std::vector<std::string> precisions_of(const Accelerator& accelerator, const KernelEfficiency& efficiency) {
  std::vector<std::string> names;
  for (const auto& [precision, peak] : accelerator.peak_flops_per_s) {
    if (efficiency.matmul.contains(precision)) names.push_back(precision);
  }
  return names;
}

// Whether the first rank's pipeline leaves its node.
bool pipeline_spans_nodes(const Plan& plan, const std::vector<GpuId>& gpu_of_rank, const Topology& topology) {
  const RankGrid grid(plan);
  const std::uint32_t first = topology.node_of(gpu_of_rank[0]);
  for (std::int64_t stage = 1; stage < plan.pipeline; ++stage) {
    const RankId rank = grid.rank({.pipeline = stage});
    if (topology.node_of(gpu_of_rank[rank.index()]) != first) return true;
  }
  return false;
}

}  // namespace

void apply_host_stalls(const Plan& plan, const std::vector<GpuId>& gpu_of_rank, const Topology& topology,
                       Stack& stack) {
  const bool spans_nodes = pipeline_spans_nodes(plan, gpu_of_rank, topology);
  const double stall = spans_nodes ? stack.host_stalls.per_tensor_rank_across_nodes : stack.host_stalls.per_tensor_rank;
  stack.kernels.host.s_per_kernel *= 1.0 + stall * static_cast<double>(plan.tensor - 1);
}

void apply_jitter(Conditions& conditions, Stack& stack) {
  if (conditions.kernel_jitter == 0.0 && !conditions.chip_spread) conditions.chip_spread = 0.0;
  stack.jitter.kernel = conditions.kernel_jitter.value_or(stack.jitter.kernel);
  stack.jitter.spread = conditions.chip_spread.value_or(stack.jitter.spread);
  conditions.kernel_jitter = stack.jitter.kernel;
  conditions.chip_spread = stack.jitter.spread;
}

std::optional<Software> resolve_software(Scenario& scenario, Findings& findings) {
  const Accelerator& accelerator = scenario.cluster.node.accelerator;
  std::optional<Stack> stack = find_stack(scenario, findings);
  std::optional<KernelEfficiency> efficiency = find_efficiency(accelerator, findings);
  if (!stack || !efficiency) return std::nullopt;
  Software found{std::move(*stack), std::move(*efficiency)};
  if (!resolve_flash_attention(scenario, found, findings)) return std::nullopt;
  try {
    CostModel(accelerator, found.efficiency, found.stack, scenario.software.tuning, scenario.training.precision);
  } catch (const std::invalid_argument& error) {
    findings.fault("training.precision", error.what(),
                   fmt::format("{}", fmt::join(precisions_of(accelerator, found.efficiency), ", ")));
    return std::nullopt;
  }
  return found;
}

void check_collectives(const Scenario& scenario, const CollectiveCatalog& constants, Findings& findings) {
  const CollectiveChoice& choice = scenario.software.collectives;
  const ClusterSection& cluster = scenario.cluster;
  const bool has_switch = cluster.node.intra == IntraKind::nvswitch && constants.nvls.share > 0;
  if (choice.algorithm == "nvls" && !has_switch) {
    findings.fault(
        "software.collectives.algorithm",
        fmt::format("no switch between the {}s of a {} reduces", cluster.node.accelerator.name, cluster.node.name),
        "auto, ring, tree or hierarchical");
  }
  if (!choice.in_network && choice.algorithm != "collnet") return;
  const std::string key = choice.in_network ? "software.collectives.in_network" : "software.collectives.algorithm";
  if (!constants.collnet.exists()) {
    findings.fault(key, fmt::format("no switch of a network of protocol {} reduces", cluster.fabric.protocol),
                   "without it, or cluster.fabric.protocol infiniband");
  } else if (*cluster.fabric.nodes == 1) {
    findings.note(key + " has no effect in one node");
  }
}

}  // namespace trainsim
