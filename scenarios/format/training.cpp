#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

// Far above any run, and small enough that products of counts stay exact.
constexpr std::int64_t kMostSequences = 1'000'000'000;
constexpr std::int64_t kMostPositions = 100'000'000;
constexpr NumberRange kCount{.low = 1.0, .high = 1e18};

// A word, or {kind: adam, state: bf16}.
std::string read_optimizer(MapReader& training) {
  const std::vector<std::string> now = {"adam", "adamw", "sgd", "momentum"};
  const std::vector<std::string> later = {"adafactor", "muon", "adam8bit"};
  const Node* node = training.node("optimizer");
  std::string kind = "adam";
  if (node == nullptr) return kind;
  if (node->kind != Node::Kind::map) return read_word(training, "optimizer", now, later).value_or(kind);
  read_map(training, "optimizer", [&](MapReader& map) {
    map.require("kind");
    kind = read_word(map, "kind", now, later).value_or(kind);
    read_word(map, "state", {"fp32"}, {"fp16", "bf16", "fp8"});
  });
  return kind;
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
        read_word(map, "precision", {"fp32", "tf32", "fp16", "bf16"}, {"fp8", "mxfp8", "nvfp4"}).value_or("");
    training.optimizer = read_optimizer(map);
    training.grad_dtype = read_word(map, "grad_dtype", {"fp32", "fp16", "bf16"});
    training.length = read_length(map);
    refuse_section(map, "dataset", read_dataset);
  });
  return training;
}

}  // namespace trainsim
