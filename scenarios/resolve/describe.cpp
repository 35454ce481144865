#include "scenarios/resolve/describe.hpp"

#include <cmath>
#include <string>

#include "scenarios/resolve/describe_model.hpp"
#include "scenarios/resolve/describe_node.hpp"
#include "scenarios/resolve/names.hpp"
#include "scenarios/resolve/plan.hpp"
#include "simulator/input/quantity.hpp"

namespace trainsim {

using nlohmann::ordered_json;

namespace {

// Counts are kept as doubles; a whole one is written without a fraction.
ordered_json plain(double value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (std::nearbyint(value) == value && std::abs(value) < kExactIntegers) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json bytes(double value) { return format_quantity(value, Unit::bytes); }
ordered_json bandwidth(double value) { return format_quantity(value, Unit::bytes_per_s); }
ordered_json time(double value) { return format_quantity(value, Unit::seconds); }

// A word, where the state has the format that the optimizer keeps it in by default.
ordered_json describe_optimizer(const TrainingSection& training) {
  if (*training.optimizer_state == default_optimizer_state(training.optimizer)) return training.optimizer;
  return {{"kind", training.optimizer}, {"state", *training.optimizer_state}};
}

ordered_json describe_training(const TrainingSection& training) {
  ordered_json json = {{"global_batch_size", training.global_batch_size},
                       {"micro_batch_size", training.micro_batch_size},
                       {"sequence_length", training.sequence_length},
                       {"precision", training.precision}};
  if (training.scaling) json["scaling"] = name_of(*training.scaling);
  if (training.low_precision_weights) json["low_precision_weights"] = true;
  json["optimizer"] = describe_optimizer(training);
  json["grad_dtype"] = *training.grad_dtype;
  const TrainingSection::Length& length = training.length;
  ordered_json& written = json["length"] = ordered_json::object();
  if (length.tokens) written["tokens"] = plain(*length.tokens);
  if (length.steps) written["steps"] = plain(*length.steps);
  if (length.samples) written["samples"] = plain(*length.samples);
  if (length.epochs) written["epochs"] = plain(*length.epochs);
  if (length.dataset_samples) written["dataset_samples"] = plain(*length.dataset_samples);
  return json;
}

ordered_json describe_sharding(const ParallelismSection& parallelism) {
  if (parallelism.sharding != ShardingKind::full) return name_of(parallelism.sharding);
  return {{"kind", name_of(parallelism.sharding)},
          {"group", *parallelism.sharding_group},
          {"reshard_after_forward", *parallelism.reshard_after_forward}};
}

ordered_json describe_recompute(const ParallelismSection& parallelism) {
  if (parallelism.recompute != RecomputeKind::full) return name_of(parallelism.recompute);
  return {{"kind", name_of(parallelism.recompute)}, {"layers", *parallelism.recompute_layers}};
}

ordered_json describe_parallelism(const ParallelismSection& parallelism) {
  ordered_json json = {{"tensor", parallelism.tensor},
                       {"sequence_parallel", *parallelism.sequence_parallel},
                       {"context", parallelism.context},
                       {"context_kind", name_of(parallelism.context_kind)},
                       {"pipeline", parallelism.pipeline},
                       {"virtual_stages", parallelism.virtual_stages},
                       {"schedule", name_of(*parallelism.schedule)},
                       {"layers_per_stage", *parallelism.layers_per_stage},
                       {"expert", parallelism.expert},
                       {"expert_tensor", *parallelism.expert_tensor},
                       {"data", *parallelism.data},
                       {"sharding", describe_sharding(parallelism)},
                       {"recompute", describe_recompute(parallelism)}};
  for (const Axis axis : parallelism.order) json["order"].push_back(name_of(axis));
  json["overlap"] = {{"gradient_reduce", *parallelism.overlap_gradient_reduce},
                     {"parameter_gather", *parallelism.overlap_parameter_gather},
                     {"tensor", *parallelism.overlap_tensor},
                     {"pipeline", *parallelism.overlap_pipeline},
                     {"bucket", bytes(*parallelism.overlap_bucket_bytes)}};
  return json;
}

ordered_json describe_software(const SoftwareSection& software) {
  const Tuning& tuning = software.tuning;
  return {{"stack", software.stack},
          {"flash_attention", *software.flash_attention},
          {"collectives",
           {{"algorithm", software.collectives.algorithm},
            {"protocol", software.collectives.protocol},
            {"in_network", software.collectives.in_network}}},
          {"tuning",
           {{"gemm_efficiency_factor", plain(tuning.gemm_efficiency_factor)},
            {"attention_efficiency_factor", plain(tuning.attention_efficiency_factor)},
            {"memory_efficiency_factor", plain(tuning.memory_efficiency_factor)},
            {"network_efficiency_factor", plain(tuning.network_efficiency_factor)}}}};
}

ordered_json describe_level(const FabricLevel& level) {
  ordered_json json = {{"name", level.name}};
  if (level.ports) json["ports"] = *level.ports;
  if (level.gpus) json["gpus"] = *level.gpus;
  json["oversubscription"] = plain(level.oversubscription);
  return json;
}

ordered_json describe_fabric(const ClusterSection::Fabric& fabric) {
  ordered_json json = {{"kind", name_of(*fabric.kind)}, {"nodes", *fabric.nodes}};
  if (*fabric.link_bytes_per_s > 0) json["link"] = bandwidth(*fabric.link_bytes_per_s);
  json["latency"] = time(fabric.latency_s);
  json["leaf_ports"] = fabric.leaf_ports;
  json["oversubscription"] = plain(fabric.oversubscription);
  for (const FabricLevel& level : fabric.levels) json["levels"].push_back(describe_level(level));
  json["routing"] = name_of(fabric.routing);
  json["protocol"] = fabric.protocol;
  json["nics_per_node"] = *fabric.nics_per_node;
  return json;
}

ordered_json describe_cluster(const ClusterSection& cluster) {
  ordered_json json = ordered_json::object();
  if (cluster.nodes) json["nodes"] = *cluster.nodes;
  if (cluster.gpus) json["gpus"] = *cluster.gpus;
  json["node"] = describe_node(cluster.node);
  if (cluster.gpus_per_node) json["gpus_per_node"] = *cluster.gpus_per_node;
  json["fabric"] = describe_fabric(cluster.fabric);
  json["placement"] = cluster.placement == PlacementKind::file ? ordered_json{{"file", cluster.placement_file}}
                                                               : ordered_json(name_of(cluster.placement));
  return json;
}

ordered_json describe_tenant(const TrafficTenant& tenant) {
  ordered_json json = {
      {"name", tenant.name},
      {"nodes", tenant.nodes},
      {"placement", name_of(tenant.placement)},
      {"traffic", {{"kind", tenant.kind}, {"bytes", bytes(tenant.bytes)}, {"every", time(tenant.every_s)}}},
      {"from", time(tenant.from_s)}};
  if (tenant.to_s) json["to"] = time(*tenant.to_s);
  return json;
}

ordered_json describe_tenant(const ShareTenant& tenant) {
  ordered_json json = {{"name", tenant.name}, {"share", plain(tenant.share)}, {"of", tenant.tier}};
  if (tenant.busy_s) json["busy"] = time(*tenant.busy_s);
  if (tenant.quiet_s) json["quiet"] = time(*tenant.quiet_s);
  return json;
}

ordered_json describe_straggler(const Straggler& straggler) {
  ordered_json json = ordered_json::object();
  if (straggler.gpu) json["gpu"] = *straggler.gpu;
  if (straggler.fraction) json["fraction"] = plain(*straggler.fraction);
  json["speed"] = plain(straggler.speed);
  return json;
}

ordered_json describe_conditions(const Conditions& conditions) {
  ordered_json json = ordered_json::object();
  for (const TrafficTenant& tenant : conditions.traffic) json["tenants"].push_back(describe_tenant(tenant));
  for (const ShareTenant& tenant : conditions.shares) json["tenants"].push_back(describe_tenant(tenant));
  for (const Straggler& straggler : conditions.stragglers) json["stragglers"].push_back(describe_straggler(straggler));
  json["jitter"] = {{"compute", conditions.kernel_jitter.value_or(0.0)},
                    {"spread", conditions.chip_spread.value_or(0.0)}};
  for (const DegradedLink& link : conditions.links) {
    json["links"].push_back({{"match", link.match}, {"bandwidth_factor", plain(link.bandwidth_factor)}});
  }
  if (conditions.message_delay_s > 0.0) json["messages"] = {{"delay", time(conditions.message_delay_s)}};
  return json;
}

ordered_json describe_simulation(const SimulationSection& simulation) {
  return {{"seed", simulation.seed},
          {"steps", simulation.steps ? ordered_json(*simulation.steps) : ordered_json("auto")},
          {"repetitions", simulation.repetitions},
          {"fold", simulation.fold}};
}

}  // namespace

ordered_json describe(const Scenario& scenario) {
  ordered_json json = {{"trainsim", 1}};
  if (!scenario.name.empty()) json["name"] = scenario.name;
  if (!scenario.description.empty()) json["description"] = scenario.description;
  json["model"] = describe_model(scenario.model);
  json["training"] = describe_training(scenario.training);
  json["parallelism"] = describe_parallelism(scenario.parallelism);
  json["software"] = describe_software(scenario.software);
  json["cluster"] = describe_cluster(scenario.cluster);
  if (ordered_json conditions = describe_conditions(scenario.conditions); !conditions.empty()) {
    json["conditions"] = std::move(conditions);
  }
  json["simulation"] = describe_simulation(scenario.simulation);
  return json;
}

}  // namespace trainsim
