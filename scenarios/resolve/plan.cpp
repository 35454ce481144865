#include "scenarios/resolve/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "scenarios/resolve/names.hpp"
#include "workloads/schedule.hpp"

namespace trainsim {
namespace {

// Micro-batches per data-parallel rank and step; 0, with a fault, when they are not whole.
std::int64_t micro_batches(const TrainingSection& training, std::int64_t data, Findings& findings) {
  const std::int64_t at_once = saturating_product({data, training.micro_batch_size});
  const std::int64_t batch = training.global_batch_size;
  if (batch % at_once != 0) {
    const std::int64_t below = batch / at_once * at_once;
    const std::string nearby =
        below == 0 ? fmt::format("{}", at_once) : fmt::format("{} or {}", below, below + at_once);
    findings.fault("training.global_batch_size",
                   fmt::format("{} sequences do not divide by data {} x micro_batch_size {} = {}", batch, data,
                               training.micro_batch_size, at_once),
                   fmt::format("a multiple of {}, such as {}", at_once, nearby));
    return 0;
  }
  const std::int64_t count = batch / at_once;
  if (count > kMostMicroBatches) {
    findings.fault("training.global_batch_size", fmt::format("{} micro-batches per step are too many", count),
                   fmt::format("at most {}", kMostMicroBatches));
    return 0;
  }
  return count;
}

void resolve_schedule(ParallelismSection& parallelism, Findings& findings) {
  const std::int64_t virtual_stages = parallelism.virtual_stages;
  if (!parallelism.schedule) {
    parallelism.schedule = virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  }
  const bool is_interleaved = *parallelism.schedule == ScheduleKind::interleaved;
  if (is_interleaved && virtual_stages == 1) {
    findings.fault("parallelism.schedule",
                   "interleaved needs several chunks per pipeline rank, but virtual_stages is 1",
                   "1f1b, or virtual_stages of at least 2");
  }
  if (!is_interleaved && virtual_stages > 1) {
    findings.fault("parallelism.schedule",
                   fmt::format("{} runs one chunk per pipeline rank, but virtual_stages is {}",
                               name_of(*parallelism.schedule), virtual_stages),
                   "interleaved, or virtual_stages: 1");
  }
  if (virtual_stages > 1 && parallelism.pipeline == 1) {
    findings.fault("parallelism.virtual_stages",
                   fmt::format("{} chunks per pipeline rank need a pipeline, but pipeline is 1", virtual_stages),
                   "1, or pipeline of at least 2");
  }
}

void check_groups(const ParallelismSection& parallelism, std::int64_t count, Findings& findings) {
  if (has_whole_groups(*parallelism.schedule, count, parallelism.pipeline)) return;
  findings.fault(
      "parallelism.schedule",
      fmt::format("interleaved needs micro-batches in groups of pipeline {}, but a step has {} of them",
                  parallelism.pipeline, count),
      fmt::format("1f1b, or a global_batch_size that gives a multiple of {} micro-batches", parallelism.pipeline));
}

void check_layers(const ParallelismSection& parallelism, std::int64_t layers, std::int64_t chunks, Findings& findings) {
  constexpr std::string_view kKey = "parallelism.layers_per_stage";
  const std::vector<std::int64_t>& list = *parallelism.layers_per_stage;
  if (static_cast<std::int64_t>(list.size()) != chunks) {
    findings.fault(std::string(kKey),
                   fmt::format("{} entries, but pipeline {} x virtual_stages {} = {} chunks", list.size(),
                               parallelism.pipeline, parallelism.virtual_stages, chunks),
                   fmt::format("auto, or {} entries", chunks));
    return;
  }
  const std::int64_t sum = std::accumulate(list.begin(), list.end(), std::int64_t{0});
  if (sum != layers) {
    findings.fault(std::string(kKey), fmt::format("the entries sum to {}, but the model has {} layers", sum, layers),
                   fmt::format("auto, or entries that sum to {}", layers));
  }
}

// Leaves layers_per_stage open, with a fault, when chunks would have nothing to do: each needs a layer, but the first
// may have the embedding and the last the loss alone.
void resolve_layers(ParallelismSection& parallelism, std::int64_t layers, Findings& findings) {
  const std::int64_t chunks = saturating_product({parallelism.pipeline, parallelism.virtual_stages});
  const std::int64_t most = chunks > 1 ? layers + 2 : layers;
  if (chunks > most) {
    const bool is_virtual = parallelism.virtual_stages > 1 && parallelism.pipeline <= most;
    findings.fault(is_virtual ? "parallelism.virtual_stages" : "parallelism.pipeline",
                   fmt::format("pipeline {} x virtual_stages {} = {} chunks, but the model has {} layers",
                               parallelism.pipeline, parallelism.virtual_stages, chunks, layers),
                   is_virtual
                       ? fmt::format("at most {}", most / parallelism.pipeline)
                       : fmt::format("at most {} chunks: one per layer, and one each for embedding and loss", most));
    return;
  }
  if (parallelism.layers_per_stage) {
    check_layers(parallelism, layers, chunks, findings);
  } else {
    parallelism.layers_per_stage = balanced_layers(layers, chunks);
  }
}

void resolve_recomputation(ParallelismSection& parallelism, Findings& findings) {
  if (parallelism.recompute != RecomputeKind::full) {
    if (parallelism.recompute_layers) {
      findings.fault("parallelism.recompute.layers",
                     fmt::format("applies to full recomputation only, not to {}", name_of(parallelism.recompute)),
                     "kind: full");
    }
    return;
  }
  const std::vector<std::int64_t>& list = *parallelism.layers_per_stage;
  const std::int64_t largest = *std::max_element(list.begin(), list.end());
  if (!parallelism.recompute_layers) parallelism.recompute_layers = largest;
  if (*parallelism.recompute_layers > largest) {
    findings.fault(
        "parallelism.recompute.layers",
        fmt::format("{} layers, but no chunk of the pipeline has more than {}", *parallelism.recompute_layers, largest),
        fmt::format("at most {}", largest));
  }
}

// REQUIRES: the data degree is decided, where it can be.
void resolve_overlap(ParallelismSection& parallelism, const Stack& stack) {
  const Overlap& defaults = stack.overlap;
  if (!parallelism.overlap_gradient_reduce) parallelism.overlap_gradient_reduce = defaults.gradient_reduce;
  if (!parallelism.overlap_parameter_gather) parallelism.overlap_parameter_gather = defaults.parameter_gather;
  if (!parallelism.overlap_tensor) parallelism.overlap_tensor = defaults.tensor;
  if (!parallelism.overlap_pipeline) parallelism.overlap_pipeline = defaults.pipeline;
  const auto ranks = static_cast<double>(parallelism.data.value_or(1) * parallelism.context);
  const double bucket_bytes = std::max(defaults.bucket_bytes, stack.bucket_bytes_per_data_rank * ranks);
  if (!parallelism.overlap_bucket_bytes) parallelism.overlap_bucket_bytes = bucket_bytes;
}

// Where the products run below 16 bits, how their operands are scaled; the formats with blocks of their own leave no
// choice.
std::optional<ScalingKind> default_scaling(const std::string& precision, const Stack& stack) {
  if (precision == "fp8") return stack.scaling;
  if (precision == "mxfp8" || precision == "nvfp4") return ScalingKind::blockwise;
  return std::nullopt;
}

void resolve_training(TrainingSection& training, const Stack& stack) {
  if (!training.grad_dtype) training.grad_dtype = stack.grad_dtype;
  if (!training.scaling) training.scaling = default_scaling(training.precision, stack);
  if (!training.optimizer_state) training.optimizer_state = default_optimizer_state(training.optimizer);
}

void add_training(const TrainingSection& training, Plan& plan) {
  plan.global_batch_size = training.global_batch_size;
  plan.micro_batch_size = training.micro_batch_size;
  plan.sequence_length = training.sequence_length;
  plan.precision = training.precision;
  plan.scaling = training.scaling.value_or(plan.scaling);
  plan.low_precision_weights = training.low_precision_weights;
  plan.optimizer = training.optimizer;
  plan.optimizer_state = *training.optimizer_state;
  plan.grad_dtype = *training.grad_dtype;
}

Plan plan_of(const Scenario& scenario, const Stack& stack, std::int64_t count) {
  const ParallelismSection& parallelism = scenario.parallelism;
  Plan plan;
  plan.tensor = parallelism.tensor;
  plan.sequence_parallel = *parallelism.sequence_parallel;
  plan.context = parallelism.context;
  plan.pipeline = parallelism.pipeline;
  plan.virtual_stages = parallelism.virtual_stages;
  plan.data = *parallelism.data;
  plan.context_kind = parallelism.context_kind;
  plan.balances_context = balances_context(scenario, stack);
  plan.expert = parallelism.expert;
  plan.expert_tensor = *parallelism.expert_tensor;
  plan.schedule = *parallelism.schedule;
  plan.layers_per_chunk = *parallelism.layers_per_stage;
  plan.sharding = parallelism.sharding;
  plan.sharding_group = parallelism.sharding_group.value_or(plan.data_ranks());
  plan.reshards_after_forward = parallelism.reshard_after_forward.value_or(true);
  plan.reduces_every_micro_batch = reduces_every_micro_batch(parallelism, stack);
  plan.recompute = parallelism.recompute;
  plan.recomputed_layers = parallelism.recompute_layers.value_or(0);
  plan.order = parallelism.order;
  plan.overlap = {*parallelism.overlap_gradient_reduce, *parallelism.overlap_parameter_gather,
                  *parallelism.overlap_tensor, *parallelism.overlap_pipeline, *parallelism.overlap_bucket_bytes};
  plan.micro_batches = count;
  add_training(scenario.training, plan);
  return plan;
}

}  // namespace

std::string default_optimizer_state(const std::string& optimizer) { return optimizer == "adam8bit" ? "fp8" : "fp32"; }

std::optional<Plan> resolve_plan(Scenario& scenario, std::optional<std::int64_t> gpus, const Stack& stack,
                                 Findings& findings) {
  ParallelismSection& parallelism = scenario.parallelism;
  resolve_training(scenario.training, stack);
  if (!parallelism.sequence_parallel) parallelism.sequence_parallel = parallelism.tensor > 1;
  resolve_schedule(parallelism, findings);
  resolve_layers(parallelism, scenario.model.layers, findings);
  if (parallelism.layers_per_stage) resolve_recomputation(parallelism, findings);
  check_shapes(scenario, findings);
  extend_positions(scenario, findings);
  check_context(scenario, stack, findings);
  resolve_experts(scenario, findings);
  if (!gpus || !resolve_data_degree(parallelism, *gpus, findings)) return std::nullopt;
  resolve_sharding(parallelism, findings);
  resolve_overlap(parallelism, stack);
  check_expert_ranks(scenario, findings);
  const std::int64_t count = micro_batches(scenario.training, *parallelism.data, findings);
  if (count == 0) return std::nullopt;
  check_groups(parallelism, count, findings);
  if (!parallelism.layers_per_stage) return std::nullopt;
  return plan_of(scenario, stack, count);
}

}  // namespace trainsim
