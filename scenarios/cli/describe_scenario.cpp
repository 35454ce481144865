#include "scenarios/cli/describe_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "scenarios/report/figures.hpp"
#include "scenarios/resolve/names.hpp"
#include "workloads/build_program.hpp"
#include "workloads/memory.hpp"
#include "workloads/rank_grid.hpp"

namespace trainsim {
namespace {

constexpr std::size_t kWidth = 100;

std::string field(std::string_view name, std::string_view value) { return fmt::format("  {:<18}{}\n", name, value); }

// A model that is written out in the scenario has no name.
std::string model_name(const Model& model) { return model.name.empty() ? "a transformer" : printable(model.name); }

std::string degrees(const Plan& plan) {
  std::string text = fmt::format("tensor {}, pipeline {}, data {}", plan.tensor, plan.pipeline, plan.data);
  if (plan.context > 1) text += fmt::format(", context {} ({})", plan.context, name_of(plan.context_kind));
  if (plan.expert > 1) text += fmt::format(", expert {}", plan.expert);
  if (plan.expert > 1 && plan.expert_tensor > 1) text += fmt::format(", expert tensor {}", plan.expert_tensor);
  return text;
}

std::string sharding_text(const Plan& plan) {
  if (plan.sharding != ShardingKind::full) return std::string(name_of(plan.sharding));
  return fmt::format("full over {}{}", counted(plan.sharding_group, "rank"),
                     plan.reshards_after_forward ? "" : ", weights stay gathered");
}

// "46.7B parameters", of a mixture of experts also those that one token visits.
std::string parameters_text(const Model& model) {
  const std::string all = scaled_count(parameter_count(model)) + " parameters";
  return model.experts ? fmt::format("{}, {} active", all, scaled_count(active_parameter_count(model))) : all;
}

std::string plan_text(const ResolvedScenario& scenario) {
  const Plan& plan = scenario.plan;
  std::string order;
  for (const Axis axis : plan.order) order += (order.empty() ? "" : ", ") + std::string(name_of(axis));
  std::string text = "\nPLAN\n";
  text += field("degrees", fmt::format("{} ({} ranks)", degrees(plan), grouped(plan.ranks())));
  text += field("batch", fmt::format("{} per step: on each of {}, {} of {}",
                                     counted(plan.global_batch_size, "sequence"), counted(plan.data, "data rank"),
                                     counted(plan.micro_batches, "micro-batch"), plan.micro_batch_size));
  text += field("sequence length", grouped(plan.sequence_length) + " tokens");
  text += field("schedule",
                fmt::format("{}, {} per stage", name_of(plan.schedule), counted(plan.virtual_stages, "model chunk")));
  text += field("layers", fmt::format("{}, by chunk in model order", runs(plan.layers_per_chunk)));
  text += field("sharding", sharding_text(plan));
  text += field("recomputation", name_of(plan.recompute));
  text += field("precision",
                fmt::format("{}, gradients {}, optimizer {}", plan.precision, plan.grad_dtype, plan.optimizer));
  text += field("rank order", order + " (fastest-varying first)");
  text += field("software", scenario.stack.name);
  return text;
}

std::string placement_text(const ResolvedScenario& scenario) {
  constexpr std::int64_t kStages = 4;
  constexpr std::size_t kRanks = 3;
  const RankGrid grid(scenario.plan);
  std::vector<std::vector<RankId>> ranks_of_stage(static_cast<std::size_t>(scenario.plan.pipeline));
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    const RankId rank(static_cast<std::size_t>(i));
    ranks_of_stage[static_cast<std::size_t>(grid.point(rank).pipeline)].push_back(rank);
  }
  std::string text = "\nPLACEMENT, first ranks of the first stages\n";
  for (std::size_t stage = 0; stage < ranks_of_stage.size() && stage < kStages; ++stage) {
    const auto& ranks = ranks_of_stage[stage];
    std::string row = fmt::format("{}:", counted(static_cast<std::int64_t>(ranks.size()), "rank"));
    for (std::size_t i = 0; i < ranks.size() && i < kRanks; ++i) {
      const GpuId gpu = scenario.gpu_of_rank.at(ranks[i].index());
      row += fmt::format("{} {} on {}", i == 0 ? "" : ",", ranks[i].value,
                         scenario.topology.name(scenario.topology.vertex_of(gpu)));
    }
    if (ranks.size() > kRanks) row += ", ...";
    text += field(fmt::format("stage {}", stage), row);
  }
  return text;
}

std::string memory_text(const ResolvedScenario& scenario) {
  const Program program = build_program(scenario.scenario.model, scenario.plan, scenario.stack.kernels);
  const std::vector<MemoryParts> stages = memory_by_stage(
      scenario.scenario.model, scenario.plan, scenario.stack.kernels, scenario.stack.memory, program.schedule);
  const double capacity_bytes = scenario.scenario.cluster.node.accelerator.memory_bytes;
  std::string text = fmt::format(
      "\nMEMORY, GiB per GPU ({} usable)\n  stage  weights  gradients  optimizer  activations  buffers  framework    "
      "total\n",
      gibibytes(capacity_bytes));
  constexpr double kGib = 1073741824.0;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const MemoryParts& parts = stages[stage];
    text += fmt::format("  {:<5}{:>9.1f}{:>11.1f}{:>11.1f}{:>13.1f}{:>9.1f}{:>11.1f}{:>9.1f}{}\n", stage,
                        parts.weights_bytes / kGib, parts.gradients_bytes / kGib, parts.optimizer_bytes / kGib,
                        parts.activations_bytes / kGib, parts.buffers_bytes / kGib, parts.framework_bytes / kGib,
                        parts.total_bytes() / kGib, parts.total_bytes() > capacity_bytes ? "  too much" : "");
  }
  return text;
}

std::string machine_text(const ResolvedScenario& scenario) {
  const Topology& topology = scenario.topology;
  const NodeSpec& node = scenario.scenario.cluster.node;
  std::string text = "\nMACHINE\n";
  text +=
      field("nodes", fmt::format("{} x {}: {} x {}, {} NICs", grouped(static_cast<std::int64_t>(topology.node_count())),
                                 node.name, node.gpus, node.accelerator.name, node.nics.count));
  if (topology.node_count() < 2) return text;
  text += field("fabric", fmt::format("{}, {} per cable, {} per hop, {}", name_of(scenario.fabric.kind),
                                      bandwidth(scenario.fabric.link_bandwidth_bytes_per_s),
                                      duration(scenario.fabric.latency_s), scenario.fabric.protocol));
  std::vector<std::int64_t> switches(topology.tier_names.size(), 0);
  for (std::size_t i = 0; i < topology.device_count(); ++i) {
    const Device& device = topology.device(VertexId(i));
    if (device.kind == DeviceKind::fabric_switch && device.tier < switches.size())
      switches[device.tier] += device.count;
  }
  for (std::size_t tier = 0; tier < switches.size(); ++tier) {
    text += field(fmt::format("tier {}", topology.tier_names[tier]), counted(switches[tier], "switch"));
  }
  return text;
}

// "node3.nic2" -> "node*.nic*"
std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (c < '0' || c > '9') {
      pattern += c;
    } else if (pattern.empty() || pattern.back() != '*') {
      pattern += '*';
    }
  }
  return pattern;
}

std::string links_text(const Topology& topology) {
  using Kind = std::tuple<std::string, LinkKind, std::uint32_t, double>;  // names alike, kind, cables, capacity
  std::map<Kind, std::set<std::string>> names;
  for (std::size_t i = 0; i < topology.link_count(); ++i) {
    const Link& link = topology.link(LinkId(i));
    if (link.is_removed) continue;
    const std::string name = topology.name(LinkId(i));
    names[{pattern_of(name), link.kind, link.cables, link.capacity_bytes_per_s()}].insert(name);
  }
  std::string text = "\nLINKS by name (what conditions.links matches), each direction\n";
  for (const auto& [kind, members] : names) {
    const auto& [pattern, link_kind, cables, capacity] = kind;
    text += field(pattern,
                  fmt::format("{} x {} {}{}", grouped(static_cast<std::int64_t>(members.size())), bandwidth(capacity),
                              name_of(link_kind), cables > 1 ? fmt::format(" ({} cables)", cables) : ""));
  }
  return text;
}

}  // namespace

std::string summary(const ResolvedScenario& scenario) {
  const auto& [name, model] = std::tie(scenario.scenario.name, scenario.scenario.model);
  return printable(fmt::format("{}: {} on {} {}; {}; {} sequences of {} tokens per step", name, model_name(model),
                               grouped(scenario.plan.ranks()), scenario.scenario.cluster.node.accelerator.name,
                               degrees(scenario.plan), grouped(scenario.plan.global_batch_size),
                               grouped(scenario.plan.sequence_length)));
}

std::string description(const ResolvedScenario& scenario) {
  const Model& model = scenario.scenario.model;
  std::string text = printable(scenario.scenario.name) + "\n";
  if (!scenario.scenario.description.empty()) text += wrapped(printable(scenario.scenario.description), kWidth, 2);
  text += field("model", fmt::format("{} ({}, {} layers, hidden size {})", model_name(model), parameters_text(model),
                                     model.layers, grouped(model.hidden_size)));
  text += plan_text(scenario) + placement_text(scenario) + memory_text(scenario) + machine_text(scenario) +
          links_text(scenario.topology);
  if (!scenario.notes.empty()) text += "\nNOTES\n";
  for (const std::string& note : scenario.notes) text += bullet(printable(note), kWidth);
  return text;
}

}  // namespace trainsim
