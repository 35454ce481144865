#include <algorithm>

#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

constexpr IntegerRange kDegree{1, kMostGpus};

// What names a later feature is refused; what spells out its absence is not.
void read_offload(MapReader& map) {
  read_map(map, "offload", [](MapReader& offload) {
    for (const char* key : {"optimizer", "parameters", "activations"}) {
      read_word(offload, key, {"none"}, {"cpu", "nvme", "cxl"});
    }
  });
}

// `auto` (nullopt) or a list, one entry per chunk.
std::optional<std::vector<std::int64_t>> read_layers_per_stage(MapReader& map) {
  const Node* node = map.node("layers_per_stage");
  if (node == nullptr) return std::nullopt;
  if (node->kind != Node::Kind::sequence) {
    if (node->kind != Node::Kind::scalar || node->scalar != "auto") {
      map.fault("layers_per_stage", "neither auto nor a list", "auto, or one entry per chunk in model order");
    }
    return std::nullopt;
  }
  std::vector<std::int64_t> layers;
  read_items(map, "layers_per_stage", [&](const Node& item, const std::string& path) {
    if (const auto count = read_integer(item, path, map.context(), {0, kMostLayers})) layers.push_back(*count);
  });
  return layers.size() == node->items.size() ? std::optional(layers) : std::nullopt;
}

// A word, or {kind: full, group: 8, reshard_after_forward: true}.
void read_sharding(MapReader& map, ParallelismSection& parallelism) {
  const Words<ShardingKind> kinds = {{"none", ShardingKind::none},
                                     {"optimizer", ShardingKind::optimizer},
                                     {"gradients", ShardingKind::gradients},
                                     {"full", ShardingKind::full}};
  const Node* node = map.node("sharding");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    parallelism.sharding = read_meaning(map, "sharding", kinds).value_or(ShardingKind::none);
    return;
  }
  read_map(map, "sharding", [&](MapReader& form) {
    form.require("kind");
    parallelism.sharding = read_meaning(form, "kind", kinds).value_or(ShardingKind::none);
    parallelism.sharding_group = form.integer("group", kDegree);
    parallelism.reshard_after_forward = form.boolean("reshard_after_forward");
    if (parallelism.sharding == ShardingKind::full) return;
    for (const char* key : {"group", "reshard_after_forward"}) {
      if (form.has(key) && form.has("kind")) form.fault(key, "applies to full sharding only", "kind: full");
    }
  });
}

// A word, or {kind: full, layers: 40}.
void read_recompute(MapReader& map, ParallelismSection& parallelism) {
  const Words<RecomputeKind> kinds = {
      {"none", RecomputeKind::none}, {"selective", RecomputeKind::selective}, {"full", RecomputeKind::full}};
  const Node* node = map.node("recompute");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    parallelism.recompute = read_meaning(map, "recompute", kinds).value_or(RecomputeKind::none);
    return;
  }
  read_map(map, "recompute", [&](MapReader& form) {
    form.require("kind");
    parallelism.recompute = read_meaning(form, "kind", kinds).value_or(RecomputeKind::none);
    parallelism.recompute_layers = form.integer("layers", {1, kMostLayers});
  });
}

// A permutation of the four axes, fastest-varying first.
void read_order(MapReader& map, ParallelismSection& parallelism) {
  const Words<Axis> axes = {
      {"tensor", Axis::tensor}, {"context", Axis::context}, {"data", Axis::data}, {"pipeline", Axis::pipeline}};
  const std::string allowed = "each of tensor, context, data and pipeline once";
  const Node* node = map.node("order");
  if (node == nullptr) return;
  std::vector<Axis> order;
  read_items(map, "order", [&](const Node& item, const std::string& path) {
    const auto axis = read_meaning(item, path, map.context(), axes);
    if (!axis) return;
    const bool is_repeated = std::find(order.begin(), order.end(), *axis) != order.end();
    if (is_repeated) report(item, path, map.context(), "'" + item.scalar + "' a second time", allowed);
    order.push_back(*axis);
  });
  if (node->kind != Node::Kind::sequence) return;
  if (node->items.size() != parallelism.order.size()) {
    map.fault("order", std::to_string(node->items.size()) + " axes where four are due", allowed);
  } else if (order.size() == parallelism.order.size()) {
    std::copy(order.begin(), order.end(), parallelism.order.begin());
  }
}

void read_overlap(MapReader& map, ParallelismSection& parallelism) {
  read_map(map, "overlap", [&parallelism](MapReader& overlap) {
    parallelism.overlap_gradient_reduce = overlap.boolean("gradient_reduce");
    parallelism.overlap_parameter_gather = overlap.boolean("parameter_gather");
    parallelism.overlap_tensor = overlap.boolean("tensor");
    parallelism.overlap_pipeline = overlap.boolean("pipeline");
    parallelism.overlap_bucket_bytes = overlap.quantity("bucket", Unit::bytes, kAboveZero);
  });
}

}  // namespace

ParallelismSection read_parallelism(MapReader& root) {
  ParallelismSection parallelism;
  read_map(root, "parallelism", [&parallelism](MapReader& map) {
    parallelism.tensor = map.integer("tensor", kDegree).value_or(1);
    parallelism.sequence_parallel = map.boolean("sequence_parallel");
    parallelism.context = map.integer("context", kDegree).value_or(1);
    parallelism.context_kind =
        read_meaning<ContextKind>(map, "context_kind", {{"ring", ContextKind::ring}, {"ulysses", ContextKind::ulysses}})
            .value_or(ContextKind::ring);
    parallelism.expert = map.integer("expert", kDegree).value_or(1);
    parallelism.expert_tensor = read_integer_or_auto(map, "expert_tensor", kDegree);
    parallelism.pipeline = map.integer("pipeline", kDegree).value_or(1);
    parallelism.virtual_stages = map.integer("virtual_stages", {1, kMostLayers}).value_or(1);
    parallelism.data = read_integer_or_auto(map, "data", kDegree);
    parallelism.schedule = read_meaning<ScheduleKind>(map, "schedule",
                                                      {{"gpipe", ScheduleKind::gpipe},
                                                       {"1f1b", ScheduleKind::one_f_one_b},
                                                       {"interleaved", ScheduleKind::interleaved}},
                                                      {"zero-bubble", "dualpipe"});
    parallelism.layers_per_stage = read_layers_per_stage(map);
    read_sharding(map, parallelism);
    read_recompute(map, parallelism);
    read_order(map, parallelism);
    read_overlap(map, parallelism);
    read_offload(map);
  });
  return parallelism;
}

}  // namespace trainsim
