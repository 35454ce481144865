#include "scenarios/run/run.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "scenarios/run/facts.hpp"
#include "scenarios/run/interval.hpp"
#include "scenarios/run/network.hpp"
#include "simulator/engine/play.hpp"
#include "simulator/input/input_error.hpp"
#include "topologies/catalog.hpp"
#include "workloads/build_program.hpp"
#include "workloads/presets.hpp"

namespace trainsim {
namespace {

constexpr std::uint32_t kFewestPlayedSteps = 3;  // warm-up, one measured, one that confirms it

InputError too_many_events(const ResolvedScenario& scenario, const std::string& what) {
  return InputError({{{scenario.scenario.document.file, 0, 0},
                      "",
                      what,
                      "a larger --max-events, fewer micro-batches or steps, slower tenants, or folding"}});
}

bool is_folded(const ResolvedScenario& scenario, const RunOptions& options) {
  return options.fold && scenario.scenario.simulation.fold;
}

std::uint32_t fewest_steps(const ResolvedScenario& scenario) {
  const auto& steps = scenario.scenario.simulation.steps;
  return steps ? static_cast<std::uint32_t>(*steps) + 2 : kFewestPlayedSteps;
}

// Before anything is built: a program or network of that size would fill the memory first.
void refuse_too_large_program(const ResolvedScenario& scenario, const RunOptions& options) {
  const Plan& plan = scenario.plan;
  const double ranks_per_stage = is_folded(scenario, options) ? 1.0 : static_cast<double>(plan.ranks() / plan.pipeline);
  double least = 0.0;
  for (const double ops : least_ops_by_stage(scenario.scenario.model, plan)) least += ops * ranks_per_stage;
  least *= fewest_steps(scenario);
  if (least <= static_cast<double>(options.max_events)) return;
  throw too_many_events(scenario, fmt::format("the play would take at least {:.3g} events, more than --max-events {}",
                                              least, options.max_events));
}

void refuse_too_large(const ResolvedScenario& scenario, const Play& play, std::uint64_t max_events) {
  const std::uint64_t predicted = predicted_activities(play, fewest_steps(scenario));
  if (predicted <= max_events) return;
  throw too_many_events(scenario, fmt::format("the play is predicted to take {} events, more than --max-events {}",
                                              predicted, max_events));
}

Play make_play(const ResolvedScenario& scenario, const CostModel& cost, const RunOptions& options) {
  Play play;
  play.program = build_program(scenario.scenario.model, scenario.plan, scenario.stack.kernels);
  for (const Work& work : play.program.works) play.work_s.push_back(cost.seconds(work));
  play.max_events = options.max_events;
  play.overlap_slowdown = scenario.stack.overlap_slowdown;
  play.synchronisations = synchronisations(scenario.stack.jitter, scenario.plan);
  const Network network = build_network(scenario, play.program);
  play.quotient = is_folded(scenario, options) ? fold(network) : unfolded(network);
  play.traffic = traffic_loops(scenario, play.quotient);
  play.shares = share_loops(scenario);
  play.rule.has_timed_conditions = scenario.scenario.conditions.are_timed();
  play.rule.slowest_condition_s = scenario.scenario.conditions.slowest_s();
  if (scenario.scenario.simulation.steps) {
    play.rule.fixed_steps = static_cast<std::uint32_t>(*scenario.scenario.simulation.steps);
  }
  play.seed = static_cast<std::uint64_t>(scenario.scenario.simulation.seed);
  return play;
}

Timeline play_within(const ResolvedScenario& scenario, const Play& prepared, std::uint64_t max_events) {
  refuse_too_large(scenario, prepared, max_events);
  try {
    return play(prepared);
  } catch (const TooManyEvents& excess) {
    throw too_many_events(scenario, excess.what());
  }
}

TraceNames trace_names(const ResolvedScenario& scenario, const Quotient& quotient) {
  TraceNames names;
  for (const auto& rank : quotient.ranks) {
    names.rank_classes.push_back(fmt::format("stage {} (rank {})", rank.program, rank.representative));
    names.rank_population.push_back(rank.population);
  }
  for (const auto& communicator : quotient.communicators) {
    names.members.push_back(communicator.members);
    const bool is_tenant = communicator.kind >= kGroups;
    names.transfer_classes.push_back(
        is_tenant ? scenario.scenario.conditions.traffic[communicator.kind - kGroups].name
                  : fmt::format("{} (of rank {})", name_of(static_cast<Group>(communicator.kind)),
                                quotient.ranks[communicator.members.front()].representative));
  }
  for (const auto& link : quotient.links) {
    names.link_classes.push_back(link_class_name(link.link, scenario.topology.tier_names));
  }
  return names;
}

// The first 16 digits of each of the four catalogs' SHA-256.
std::string catalog_hash() {
  return fmt::format("{:.16}{:.16}{:.16}{:.16}", topology_catalog_sha256(), model_catalog_sha256(),
                     cost_catalog_sha256(), collective_catalog_sha256());
}

// Estimated figures of the accelerator's kernels that this scenario rests on.
std::vector<std::string> estimates_used(const ResolvedScenario& scenario) {
  const int flash = scenario.stack.kernels.flash_attention;
  const std::string generation = fmt::format("attention.flash_{}", flash);
  const std::string width = fmt::format("matmul.{}", matmul_key(scenario.plan.precision));
  std::vector<std::string> used;
  for (const std::string& key : scenario.efficiency.estimated) {
    const bool is_other_width = key.starts_with("matmul.") && key.ends_with("-bit") && key != width;
    const bool is_other_generation = key.starts_with("attention.flash_") && key != generation;
    const bool is_unused_attention = flash == 0 && key.starts_with("attention.");
    if (!is_other_width && !is_other_generation && !is_unused_attention) used.push_back(key);
  }
  return used;
}

// The forecast takes the measured steps for typical of the whole run.
void note_windows(const Conditions& conditions, std::vector<std::string>& notes) {
  for (const TrafficTenant& tenant : conditions.traffic) {
    if (tenant.from_s <= 0.0 && !tenant.to_s) continue;
    notes.push_back(fmt::format(
        "tenant {} comes or goes, but run.time_to_train_s takes the measured steps, at the start, for all steps",
        tenant.name));
  }
}

std::vector<std::string> notes_on(const ResolvedScenario& scenario, const Timeline& timeline) {
  std::vector<std::string> notes = scenario.notes;
  note_windows(scenario.scenario.conditions, notes);
  const int flash = scenario.stack.kernels.flash_attention;
  if (flash == 0 && scenario.scenario.software.tuning.attention_efficiency_factor != 1.0) {
    notes.emplace_back("software.tuning.attention_efficiency_factor has no effect: attention is unfused");
  }
  const double slowest_s = scenario.scenario.conditions.slowest_s();
  if (slowest_s > timeline.end_s() - timeline.begin_s()) {
    notes.push_back(
        fmt::format("{} measured steps are shorter than a turn of the slowest tenant ({:.3g} s): a sample, not a mean",
                    timeline.measured_steps(), slowest_s));
  }
  if (!scenario.stack.estimated.empty()) {
    notes.push_back(fmt::format("{} figures of the software stack {} are estimated, not measured: trainsim show {}",
                                scenario.stack.estimated.size(), scenario.stack.name, scenario.stack.name));
  }
  if (scenario.collectives.is_estimated) {
    notes.push_back(fmt::format("latencies or efficiencies of collectives over {} are estimated, not measured",
                                scenario.scenario.cluster.fabric.protocol));
  }
  const std::vector<std::string> estimates = estimates_used(scenario);
  if (!estimates.empty()) {
    notes.push_back(fmt::format("estimated, not measured, for kernels on {}: {}",
                                scenario.scenario.cluster.node.accelerator.name, fmt::join(estimates, ", ")));
  }
  return notes;
}

}  // namespace

RunOutput run_scenario(const ResolvedScenario& scenario, const RunOptions& options) {
  const CostModel cost(scenario.scenario.cluster.node.accelerator, scenario.efficiency, scenario.stack,
                       scenario.scenario.software.tuning, scenario.plan.precision);
  refuse_too_large_program(scenario, options);
  const Play prepared = make_play(scenario, cost, options);
  Timeline timeline = play_within(scenario, prepared, options.max_events);

  const PlayedSteps played{prepared.program, prepared.work_s, prepared.quotient, timeline};
  const Accounting accounting = account(played);
  RunOutput output;
  Result& result = output.result;
  describe_plan(scenario, result);
  describe_memory(scenario, prepared.program, result);
  describe_step(scenario, played, result);
  result.step.interval = interval_of(result.step.time_s, kind_of(scenario), static_cast<double>(result.cluster.gpus),
                                     result.model.parameters, validated_kinds());
  describe_time(played, accounting, result);
  describe_links(scenario, played, accounting, result);
  describe_bottleneck(played, cost, accounting, result);
  result.simulation = {prepared.quotient.ranks.size(), prepared.quotient.communicators.size(),
                       prepared.quotient.links.size(), timeline.activities};
  result.catalog_sha256 = catalog_hash();
  result.notes = notes_on(scenario, played.timeline);
  output.names = trace_names(scenario, prepared.quotient);
  if (options.keep_timeline) {
    output.timeline = std::move(timeline);
    output.program = prepared.program;
  }
  return output;
}

}  // namespace trainsim
