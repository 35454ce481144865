#include "scenarios/resolve/resolve.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "scenarios/resolve/conditions.hpp"
#include "scenarios/resolve/describe.hpp"
#include "scenarios/resolve/findings.hpp"
#include "scenarios/resolve/machine.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/plan.hpp"
#include "scenarios/resolve/software.hpp"
#include "topologies/build.hpp"

namespace trainsim {
namespace {

// Optimizer steps of the whole run, rounded up; fills in the default of one.
double run_steps(TrainingSection& training) {
  TrainingSection::Length& length = training.length;
  const auto batch = static_cast<double>(training.global_batch_size);
  if (length.tokens) return std::ceil(*length.tokens / (batch * static_cast<double>(training.sequence_length)));
  if (length.samples) return std::ceil(*length.samples / batch);
  if (length.epochs) return std::ceil(*length.epochs * length.dataset_samples.value_or(0) / batch);
  if (!length.steps) length.steps = 1;
  return std::ceil(*length.steps);
}

// Builds the graph, then everything that needs it: placement, degraded links, the tenants' tiers.
void resolve_machine(ResolvedScenario& resolved, const JobSize& size, Findings& findings) {
  Scenario& scenario = resolved.scenario;
  const std::optional<FabricSpec> fabric = resolve_fabric(scenario, size, findings);
  if (!fabric) return;
  resolved.fabric = *fabric;
  try {
    resolved.collectives = collective_catalog(fabric->protocol, scenario.cluster.node.accelerator.architecture);
    resolved.collectives.tune(scenario.software.tuning.network_efficiency_factor);
    check_collectives(scenario, resolved.collectives, findings);
  } catch (const std::invalid_argument& error) {
    findings.fault("cluster.node", error.what());
  }
  try {
    resolved.topology = build_topology(node_of(scenario.cluster), *fabric);
  } catch (const std::invalid_argument& error) {
    findings.fault("cluster.fabric", error.what());
    return;
  }
  if (fabric->oversubscription != 1.0 && resolved.topology.tier_names.size() < 2) {
    findings.note("cluster.fabric.oversubscription has no effect: all nodes are under one leaf");
  }
  FreeNodes free(resolved.topology);
  const auto placed = place_job(scenario.cluster, size, resolved.topology, free, findings);
  if (!placed) return;
  resolved.gpu_of_rank = *placed;
  resolved.gpus_of_tenant = place_tenants(scenario.conditions, resolved.topology, free, findings);
}

void resolve_conditions(ResolvedScenario& resolved, const JobSize& size, Findings& findings) {
  const Scenario& scenario = resolved.scenario;
  resolved.slowdown_of_rank = slowdown_of_ranks(scenario.conditions, size.gpus, scenario.simulation.seed, findings);
  if (resolved.topology.device_count() == 0) return;  // its own fault is known
  degrade_links(scenario.conditions, resolved.topology, findings);
  check_shares(scenario.conditions, resolved.topology, findings);
}

}  // namespace

ResolvedScenario resolve(Scenario scenario) {
  ResolvedScenario resolved;
  resolved.scenario = std::move(scenario);
  Findings findings(resolved.scenario.document);
  if (const auto software = resolve_software(resolved.scenario, findings)) {
    resolved.stack = software->stack;
    resolved.efficiency = software->efficiency;
  }
  const std::optional<JobSize> size = resolve_size(resolved.scenario.cluster, findings);
  const auto gpus = size ? std::optional(size->gpus) : std::nullopt;
  if (const auto plan = resolve_plan(resolved.scenario, gpus, resolved.stack, findings)) resolved.plan = *plan;
  resolved.run_steps = run_steps(resolved.scenario.training);
  if (size) {
    resolve_machine(resolved, *size, findings);
    resolve_conditions(resolved, *size, findings);
  }
  findings.throw_if_any();
  apply_jitter(resolved.scenario.conditions, resolved.stack);
  apply_host_stalls(resolved.plan, resolved.gpu_of_rank, resolved.topology, resolved.stack);
  resolved.notes = findings.notes();
  resolved.json = describe(resolved.scenario);
  return resolved;
}

}  // namespace trainsim
