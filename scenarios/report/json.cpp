#include "scenarios/report/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <stdexcept>

#include "scenarios/report/version.hpp"
#include "simulator/accounting/accounting.hpp"

namespace trainsim {
namespace {

using Json = nlohmann::ordered_json;

void require_finite(const Json& json, const std::string& path) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw std::runtime_error(fmt::format("result {} is not a finite number", path));
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) require_finite(value, path.empty() ? key : path + "." + key);
}

// The names of `parts` in the page's order.
Json time_parts(const std::map<std::string, double>& parts) {
  Json json = Json::object();
  for (const std::string_view name : kLabelNames) {
    const auto part = parts.find(std::string(name));
    if (part != parts.end()) json[part->first] = part->second;
  }
  if (json.size() != parts.size())
    throw std::invalid_argument("gpu_time has a part that the result page does not know");
  return json;
}

Json memory_json(const Result::Memory& memory) {
  const MemoryParts& peak = memory.by_stage.at(memory.peak_stage);
  Json stages = Json::array();
  for (std::size_t stage = 0; stage < memory.by_stage.size(); ++stage) {
    stages.push_back({{"stage", stage}, {"peak_bytes", memory.by_stage[stage].total_bytes()}});
  }
  return {{"fits", memory.fits},
          {"capacity_bytes", memory.capacity_bytes},
          {"peak_bytes", peak.total_bytes()},
          {"parts_bytes",
           {{"weights", peak.weights_bytes},
            {"gradients", peak.gradients_bytes},
            {"optimizer", peak.optimizer_bytes},
            {"activations", peak.activations_bytes},
            {"buffers", peak.buffers_bytes},
            {"framework", peak.framework_bytes}}},
          {"by_stage", std::move(stages)},
          {"largest_micro_batch", memory.largest_micro_batch}};
}

Json step_json(const Result::Step& step) {
  return {{"time_s", step.time_s},
          {"measured_steps", step.measured_steps},
          {"samples_per_s", step.samples_per_s},
          {"tokens_per_s", step.tokens_per_s},
          {"tokens_per_s_per_gpu", step.tokens_per_s_per_gpu},
          {"model_tflops_per_gpu", step.model_tflops_per_gpu},
          {"hardware_tflops_per_gpu", step.hardware_tflops_per_gpu},
          {"peak_tflops", step.peak_tflops},
          {"mfu", step.mfu},
          {"hfu", step.hfu},
          {"interval",
           {{"coverage", step.interval.coverage},
            {"low_s", step.interval.low_s},
            {"high_s", step.interval.high_s},
            {"rests_on", step.interval.rests_on}}}};
}

Json stages_json(const std::vector<Result::Stage>& stages) {
  Json json = Json::array();
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    json.push_back({{"stage", stage},
                    {"idle_fraction", stages[stage].idle_fraction},
                    {"gpu_time", time_parts(stages[stage].gpu_time)}});
  }
  return json;
}

Json links_json(const std::vector<Result::LinkClass>& links) {
  Json json = Json::array();
  for (const Result::LinkClass& link : links) {
    json.push_back({{"class", link.name},
                    {"mean_load", link.mean_load},
                    {"peak_load", link.peak_load},
                    {"saturated_share", link.saturated_share}});
  }
  return json;
}

Json identity_json(const Result& result) {
  return {
      {"trainsim", {{"version", version()}, {"format", kFormatVersion}}},
      {"provenance", {{"catalog_sha256", result.catalog_sha256}, {"simgrid", simgrid_version()}}},
      {"scenario", result.scenario},
      {"resolved", result.resolved},
      {"cluster",
       {{"gpus", result.cluster.gpus}, {"nodes", result.cluster.nodes}, {"accelerator", result.cluster.accelerator}}},
      {"model",
       {{"parameters", result.model.parameters},
        {"active_parameters", result.model.active_parameters},
        {"flops_per_token", result.model.flops_per_token}}},
      {"plan",
       {{"tensor", result.plan.tensor},
        {"context", result.plan.context},
        {"pipeline", result.plan.pipeline},
        {"expert", result.plan.expert},
        {"data", result.plan.data},
        {"micro_batches", result.plan.micro_batches},
        {"layers_per_stage", result.plan.layers_per_stage}}}};
}

}  // namespace

Json to_json(const Result& result) {
  Json json = identity_json(result);
  json["memory"] = memory_json(result.memory);
  json["step"] = step_json(result.step);
  json["gpu_time"] = time_parts(result.gpu_time);
  json["by_stage"] = stages_json(result.by_stage);
  json["idle_fraction"] = result.idle_fraction;
  json["gpu_utilization"] = result.gpu_utilization;
  json["links"] = links_json(result.links);
  json["bottleneck"] = {{"resource", result.bottleneck.resource}, {"why", result.bottleneck.why}};
  json["run"] = {{"steps", static_cast<std::int64_t>(std::ceil(result.run.steps))},
                 {"time_to_train_s", {{"mean", result.run.time_to_train_s}}}};
  json["simulation"] = {{"rank_classes", result.simulation.rank_classes},
                        {"transfer_classes", result.simulation.transfer_classes},
                        {"link_classes", result.simulation.link_classes},
                        {"activities", result.simulation.activities}};
  require_finite(json, "");
  return json;
}

void write_json(std::ostream& out, const Json& json) { out << json.dump(1) << '\n'; }

}  // namespace trainsim
