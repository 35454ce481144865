// The scenario file, version 1 (docs/scenario.md), as read: field names are the file's keys. An absent optional means
// that the user left it to a default; `resolve` fills them in.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/conditions/conditions.hpp"
#include "simulator/cost/cost.hpp"
#include "simulator/input/document.hpp"
#include "simulator/lowering/lowering.hpp"
#include "topologies/hardware.hpp"
#include "workloads/model.hpp"
#include "workloads/plan.hpp"

namespace trainsim {

struct TrainingSection {
  std::int64_t global_batch_size = 0;
  std::int64_t micro_batch_size = 0;
  std::int64_t sequence_length = 0;
  std::string precision;
  std::optional<ScalingKind> scaling;
  bool low_precision_weights = false;  // layers' weights are kept and travel in `precision` alone
  std::string optimizer = "adam";
  std::optional<std::string> optimizer_state;
  std::optional<std::string> grad_dtype;
  struct Length {  // exactly one of the first three, or epochs with dataset_samples; default one step
    std::optional<double> tokens, steps, samples, epochs, dataset_samples;
  } length;
};

struct ParallelismSection {
  std::int64_t tensor = 1;
  std::optional<bool> sequence_parallel;
  std::int64_t context = 1;
  ContextKind context_kind = ContextKind::ring;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;
  std::optional<ScheduleKind> schedule;
  std::optional<std::vector<std::int64_t>> layers_per_stage;  // nullopt: auto
  std::int64_t expert = 1;
  std::optional<std::int64_t> expert_tensor;  // nullopt: auto
  std::optional<std::int64_t> data;           // nullopt: auto
  ShardingKind sharding = ShardingKind::none;
  std::optional<std::int64_t> sharding_group;
  std::optional<bool> reshard_after_forward;
  RecomputeKind recompute = RecomputeKind::none;
  std::optional<std::int64_t> recompute_layers;
  std::array<Axis, 4> order = {Axis::tensor, Axis::context, Axis::data, Axis::pipeline};
  std::optional<bool> overlap_gradient_reduce, overlap_parameter_gather, overlap_tensor, overlap_pipeline;
  std::optional<double> overlap_bucket_bytes;
};

struct SoftwareSection {
  std::string stack = "megatron-core";  // as written
  std::optional<std::filesystem::path> stack_file;
  std::optional<int> flash_attention;
  CollectiveChoice collectives;
  Tuning tuning;
};

struct ClusterSection {
  std::optional<std::int64_t> nodes, gpus;  // exactly one
  NodeSpec node;
  std::optional<std::int64_t> gpus_per_node;
  struct Fabric {
    std::optional<FabricKind> kind;
    std::optional<std::int64_t> nodes;
    std::optional<double> link_bytes_per_s;
    std::optional<std::int64_t> nics_per_node;
    double latency_s = 1.5e-6;
    std::int64_t leaf_ports = 64;
    double oversubscription = 1.0;
    std::vector<FabricLevel> levels;
    RoutingKind routing = RoutingKind::adaptive;
    std::string protocol = "infiniband";
  } fabric;
  PlacementKind placement = PlacementKind::packed;
  std::string placement_file;
};

struct SimulationSection {
  std::int64_t seed = 1;
  std::optional<std::int64_t> steps;  // measured steps; nullopt: auto
  std::int64_t repetitions = 200;
  bool fold = true;
};

struct Scenario {
  std::string name;
  std::string description;
  Model model;
  TrainingSection training;
  ParallelismSection parallelism;
  SoftwareSection software;
  ClusterSection cluster;
  Conditions conditions;
  SimulationSection simulation;
  Document document;  // as read, overrides applied: where resolve's messages point
};

// Reads and validates everything that needs no knowledge of other sections. Throws InputError with all faults.
// `overrides` are `--set` assignments.
Scenario read_scenario(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

// Where the value at a dotted path is ("conditions.stragglers.0.gpu"), or its nearest ancestor that the file has.
Location place_of(const Document& document, std::string_view dotted_path);

}  // namespace trainsim
