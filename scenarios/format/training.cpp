#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

// Far above any run, and small enough that products of counts stay exact.
constexpr std::int64_t kMostSequences = 1'000'000'000;
constexpr std::int64_t kMostPositions = 100'000'000;
constexpr NumberRange kCount{.low = 1.0, .high = 1e18};

const std::vector<std::string> kStates = {"fp32", "fp16", "bf16", "fp8"};

// Of the moments, where the optimizer keeps any and leaves their format open.
void read_optimizer_state(MapReader& map, TrainingSection& training) {
  const auto state = read_word(map, "state", kStates);
  if (!state) return;
  if (training.optimizer == "adam8bit" && *state != "fp8") {
    map.fault("state", "adam8bit keeps its state in 8 bits", "fp8, or adam with this state");
  } else if (training.optimizer == "sgd" && *state != "fp32") {
    map.fault("state", "sgd keeps no state", "no state, or momentum");
  } else if (training.optimizer == "adafactor" && *state != "fp32") {
    map.fault("state", "adafactor keeps its row and column sums in fp32", "fp32");
  } else {
    training.optimizer_state = *state;
  }
}

// A word, or {kind: adam, state: bf16}.
void read_optimizer(MapReader& map, TrainingSection& training) {
  const std::vector<std::string> kinds = {"adam", "adamw", "sgd", "momentum", "adafactor", "muon", "adam8bit"};
  const Node* node = map.node("optimizer");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    training.optimizer = read_word(map, "optimizer", kinds).value_or(training.optimizer);
    return;
  }
  read_map(map, "optimizer", [&](MapReader& form) {
    form.require("kind");
    training.optimizer = read_word(form, "kind", kinds).value_or(training.optimizer);
    read_optimizer_state(form, training);
  });
}

// How operands below 16 bits get their scales; the formats with blocks of their own leave no choice.
void read_scaling(MapReader& map, TrainingSection& training) {
  training.scaling = read_meaning<ScalingKind>(
      map, "scaling",
      {{"delayed", ScalingKind::delayed}, {"current", ScalingKind::current}, {"blockwise", ScalingKind::blockwise}});
  const std::string& precision = training.precision;
  if (!training.scaling || precision.empty() || precision == "fp8") return;
  const bool has_blocks = precision == "mxfp8" || precision == "nvfp4";
  if (!has_blocks) {
    map.fault("scaling", "operands in " + precision + " are not scaled", "precision fp8, mxfp8 or nvfp4");
  } else if (*training.scaling != ScalingKind::blockwise) {
    map.fault("scaling", precision + " scales blocks", "blockwise");
  }
}

void read_low_precision_weights(MapReader& map, TrainingSection& training) {
  training.low_precision_weights = map.boolean("low_precision_weights").value_or(false);
  if (!training.low_precision_weights || training.precision.empty()) return;
  if (is_below_16_bits(training.precision)) return;
  map.fault("low_precision_weights", "products in " + training.precision + " are not below 16 bits",
            "precision fp8, mxfp8 or nvfp4");
}

TrainingSection::Length read_length(MapReader& training) {
  TrainingSection::Length length;
  read_map(training, "length", [&length](MapReader& map) {
    require_exactly_one(map, {"tokens", "steps", "samples", "epochs"});
    length.tokens = map.count("tokens", kCount);
    length.steps = map.count("steps", kCount);
    length.samples = map.count("samples", kCount);
    length.epochs = map.number("epochs", {.low = 0.0, .high = kCount.high, .low_is_open = true});
    length.dataset_samples = map.count("dataset_samples", kCount);
    if (map.has("epochs")) map.require("dataset_samples");
    if (map.has("dataset_samples") && !map.has("epochs")) {
      map.fault("dataset_samples", "given without epochs", "{epochs: N, dataset_samples: N}");
    }
  });
  return length;
}

void read_dataset(MapReader& dataset) {
  dataset.quantity("bytes_per_sample", Unit::bytes);
  dataset.text("read_from");
  dataset.integer("workers_per_gpu", {0, 1 << 20});
  dataset.quantity("preprocess_time_per_sample", Unit::seconds);
}

}  // namespace

TrainingSection read_training(MapReader& root) {
  TrainingSection training;
  root.require("training");
  read_map(root, "training", [&training](MapReader& map) {
    for (const char* key : {"global_batch_size", "micro_batch_size", "sequence_length", "precision"}) map.require(key);
    training.global_batch_size = map.integer("global_batch_size", {1, kMostSequences}).value_or(0);
    training.micro_batch_size = map.integer("micro_batch_size", {1, kMostSequences}).value_or(0);
    training.sequence_length = map.integer("sequence_length", {1, kMostPositions}).value_or(0);
    training.precision =
        read_word(map, "precision", {"fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"}).value_or("");
    read_scaling(map, training);
    read_low_precision_weights(map, training);
    read_optimizer(map, training);
    training.grad_dtype = read_word(map, "grad_dtype", {"fp32", "fp16", "bf16"});
    training.length = read_length(map);
    refuse_section(map, "dataset", read_dataset);
  });
  return training;
}

}  // namespace trainsim
