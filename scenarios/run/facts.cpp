#include "scenarios/run/facts.hpp"

#include <algorithm>
#include <map>

#include "scenarios/run/largest_micro_batch.hpp"
#include "simulator/forecast/forecast.hpp"
#include "workloads/memory.hpp"
#include "workloads/model.hpp"

namespace trainsim {
namespace {

std::size_t peak_stage(const std::vector<MemoryParts>& stages) {
  const auto peak = std::ranges::max_element(stages, {}, &MemoryParts::total_bytes);
  return static_cast<std::size_t>(peak - stages.begin());
}

double recomputed_flops(const PlayedSteps& played) {
  double flops = 0.0;
  for (std::size_t stage = 0; stage < played.program.stages.size(); ++stage) {
    double of_stage = 0.0;
    for (const Op& op : played.program.stages[stage].ops[static_cast<std::size_t>(Stream::compute)]) {
      const Work& work = played.program.works[op.what];
      if (work.activity == Activity::recompute) of_stage += CostModel::flops(work);
    }
    for (const auto& rank : played.quotient.ranks) {
      if (rank.program == stage) flops += of_stage * rank.population;
    }
  }
  return flops;
}

}  // namespace

void describe_plan(const ResolvedScenario& scenario, Result& result) {
  const Plan& plan = scenario.plan;
  const Model& model = scenario.scenario.model;
  const auto& node = scenario.scenario.cluster.node;
  const std::int64_t per_node = scenario.scenario.cluster.gpus_per_node.value_or(node.gpus);
  result.scenario = scenario.scenario.name;
  result.resolved = scenario.json;
  result.cluster = {plan.ranks(), (plan.ranks() + per_node - 1) / per_node, node.accelerator.name};
  result.model = {model.name, parameter_count(model), active_parameter_count(model),
                  model_flops_per_token(model, plan.sequence_length)};
  result.plan = {plan.tensor, plan.context,       plan.pipeline,        plan.expert,
                 plan.data,   plan.micro_batches, plan.layers_per_chunk};
}

void describe_memory(const ResolvedScenario& scenario, const Program& program, Result& result) {
  Result::Memory& memory = result.memory;
  const Model& model = scenario.scenario.model;
  const KernelPolicy& kernels = scenario.stack.kernels;
  memory.capacity_bytes = scenario.scenario.cluster.node.accelerator.memory_bytes;
  memory.by_stage = memory_by_stage(model, scenario.plan, kernels, scenario.stack.memory, program.schedule);
  memory.peak_stage = peak_stage(memory.by_stage);
  memory.fits = memory.by_stage[memory.peak_stage].total_bytes() <= memory.capacity_bytes;
  memory.largest_micro_batch = largest_micro_batch(scenario);
}

void describe_step(const ResolvedScenario& scenario, const PlayedSteps& played, Result& result) {
  const Plan& plan = scenario.plan;
  Result::Step& step = result.step;
  const double gpus = static_cast<double>(plan.ranks());
  step.time_s = played.timeline.step_s();
  step.measured_steps = played.timeline.measured_steps();
  step.samples_per_s = static_cast<double>(plan.global_batch_size) / step.time_s;
  step.tokens_per_s = step.samples_per_s * static_cast<double>(plan.sequence_length);
  step.tokens_per_s_per_gpu = step.tokens_per_s / gpus;
  const double peak = scenario.scenario.cluster.node.accelerator.peak_flops_per_s.at(plan.precision);
  const double model_flops_per_s = result.model.flops_per_token * step.tokens_per_s_per_gpu;
  const double recomputed_per_s = recomputed_flops(played) / step.time_s / gpus;
  step.model_tflops_per_gpu = model_flops_per_s / 1e12;
  step.hardware_tflops_per_gpu = (model_flops_per_s + recomputed_per_s) / 1e12;
  step.peak_tflops = peak / 1e12;
  step.mfu = model_flops_per_s / peak;
  step.hfu = (model_flops_per_s + recomputed_per_s) / peak;
  const RunForecast run = forecast(scenario.run_steps, step.time_s);
  result.run = {run.steps, run.time_to_train_s};
}

void describe_time(const PlayedSteps& played, const Accounting& accounting, Result& result) {
  const auto named = [](const TimeSplit& split) {
    std::map<std::string, double> shares;
    for (std::size_t k = 0; k < kLabels; ++k) shares[std::string(name_of(static_cast<Label>(k)))] = split[k];
    return shares;
  };
  const TimeSplit whole = mean_split(played, accounting);
  result.gpu_time = named(whole);
  result.idle_fraction = idle_fraction(whole);
  result.gpu_utilization = mean_utilization(played, accounting);
  for (std::uint32_t stage = 0; stage < played.program.stages.size(); ++stage) {
    const TimeSplit split = mean_split(played, accounting, stage);
    result.by_stage.push_back({idle_fraction(split), named(split)});
  }
}

std::string link_class_name(const Network::NetworkLink& link, const std::vector<std::string>& tier_names) {
  if (link.kind != LinkKind::fabric) return std::string(name_of(link.kind));
  return tier_names.at(link.tier) + "-" + tier_names.at(link.tier + 1U);
}

void describe_links(const ResolvedScenario& scenario, const PlayedSteps& played, const Accounting& accounting,
                    Result& result) {
  std::map<std::pair<std::size_t, std::string>, std::pair<Result::LinkClass, double>> classes;
  for (std::size_t l = 0; l < played.quotient.links.size(); ++l) {
    const auto& link = played.quotient.links[l];
    const std::string name = link_class_name(link.link, scenario.topology.tier_names);
    const std::size_t place = static_cast<std::size_t>(link.link.kind) * 256 + link.link.tier;
    auto& [entry, population] = classes[{place, name}];
    const double capacity = link.link.capacity_bytes_per_s;
    entry.name = name;
    entry.mean_load += accounting.links[l].mean_bytes_per_s / capacity * link.population;
    entry.peak_load = std::max(entry.peak_load, accounting.links[l].peak_bytes_per_s / capacity);
    entry.saturated_share += accounting.links[l].saturated_share * link.population;
    population += link.population;
  }
  for (auto& [key, value] : classes) {
    auto& [entry, population] = value;
    entry.mean_load /= population;
    entry.saturated_share /= population;
    result.links.push_back(entry);
  }
}

}  // namespace trainsim
