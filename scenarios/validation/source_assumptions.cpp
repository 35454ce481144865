#include "scenarios/validation/source_assumptions.hpp"

#include <algorithm>

#include "scenarios/validation/catalog_files.hpp"
#include "simulator/input/embedded_document.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {

namespace {

std::vector<std::pair<std::string, std::string>> read_words(const Node* map) {
  std::vector<std::pair<std::string, std::string>> words;
  if (map == nullptr) return words;
  for (const auto& [word, meaning] : map->entries) words.emplace_back(word, meaning.scalar);
  return words;
}

std::vector<std::string> read_list(const Node* list) {
  std::vector<std::string> items;
  if (list == nullptr) return items;
  for (const Node& item : list->items) items.push_back(item.scalar);
  return items;
}

std::optional<SourceAssumptions::PrintedMemory> read_printed_memory(MapReader& source) {
  const Node* node = source.node("memory");
  if (node == nullptr) return std::nullopt;
  MapReader map(*node, source.path_of("memory"), source.context());
  for (const char* key : {"stage", "counts", "unit"}) map.require(key);
  SourceAssumptions::PrintedMemory memory;
  memory.is_of_first_stage = map.choice("stage", {"first", "fullest"}) == "first";
  memory.is_of_allocator = map.choice("counts", {"allocator", "device"}) == "allocator";
  memory.unit_bytes = map.quantity("unit", Unit::bytes).value_or(memory.unit_bytes);
  map.finish();
  return memory;
}

std::optional<SourceAssumptions::SlowMessages> read_slow_messages(MapReader& source) {
  std::optional<SourceAssumptions::SlowMessages> messages;
  const Node* node = source.node("slow_messages");
  if (node == nullptr) return messages;
  MapReader map(*node, source.path_of("slow_messages"), source.context());
  for (const char* key : {"from_gpus", "delay"}) map.require(key);
  messages = {map.integer("from_gpus", {1}).value_or(1), map.text("delay").value_or("0s")};
  map.finish();
  return messages;
}

SourceAssumptions read_source(const std::string& prefix, const Node& node, ReadContext& context) {
  MapReader map(node, "sources." + prefix, context);
  SourceAssumptions source;
  source.prefix = prefix;
  map.require("stack");
  map.require("why");
  source.stack = map.text("stack").value_or("");
  source.stack_of_gpu = read_words(map.node("stack_of_gpu"));
  source.has_dropout = map.boolean("dropout").value_or(false);
  source.tunes_micro_batch = map.text("micro_batch") == "fastest";
  if (!source.tunes_micro_batch) source.micro_batch = map.integer("micro_batch", {1});
  source.micro_batches_as_stages = map.boolean("micro_batches_as_stages").value_or(false);
  source.keeps_weights_in_pipelines = map.boolean("keeps_weights_in_pipelines").value_or(false);
  source.cuts_stages_by_parameters = map.boolean("cuts_stages_by_parameters").value_or(false);
  source.virtual_stages = map.integer("virtual_stages", {1});
  source.order = read_list(map.node("order"));
  source.overlaps_tensor = map.boolean("overlap_tensor").value_or(false);
  source.precision = map.text("precision").value_or("");
  source.fp8_scaling = map.text("fp8_scaling").value_or("current");
  source.frozen_weights_in_fp8 = map.boolean("frozen_weights_in_fp8").value_or(false);
  source.printed_memory = read_printed_memory(map);
  source.slow_messages = read_slow_messages(map);
  source.why = map.text("why").value_or("");
  map.finish();
  return source;
}

const std::vector<SourceAssumptions>& sources() {
  static const auto all =
      read_embedded(validation_catalog_files().find("sources"), [](const Node& root, ReadContext& context) {
        std::vector<SourceAssumptions> read;
        MapReader file(root, "", context);
        file.require("sources");
        if (const Node* list = file.node("sources")) {
          for (const auto& [prefix, node] : list->entries) read.push_back(read_source(prefix, node, context));
        }
        file.finish();
        return read;
      });
  return all;
}

struct Names {
  std::vector<std::pair<std::string, std::string>> models;     // beginning -> preset
  std::vector<std::pair<std::string, NamedMachine>> machines;  // word -> machine
};

NamedMachine read_machine(const std::string& word, const Node& node, ReadContext& context) {
  MapReader map(node, "machines." + word, context);
  NamedMachine machine;
  map.require("node");
  map.require("memory");
  if (const auto name = map.choice("node", node_names())) machine.node = catalog_node(*name);
  machine.memory_bytes = map.quantity("memory", Unit::bytes).value_or(0.0);
  machine.efa_node = map.choice("efa_node", node_names()).value_or("");
  map.finish();
  return machine;
}

const Names& names() {
  static const Names all =
      read_embedded(validation_catalog_files().find("names"), [](const Node& root, ReadContext& context) {
        Names read;
        MapReader file(root, "", context);
        read.models = read_words(file.node("models"));
        if (const Node* list = file.node("machines")) {
          for (const auto& [word, node] : list->entries) {
            read.machines.emplace_back(word, read_machine(word, node, context));
          }
        }
        file.finish();
        return read;
      });
  return all;
}

}  // namespace

const SourceAssumptions* assumptions_on(std::string_view source_id) {
  const auto known = std::ranges::find_if(
      sources(), [&](const SourceAssumptions& source) { return source_id.starts_with(source.prefix); });
  return known == sources().end() ? nullptr : &*known;
}

std::optional<std::string> preset_called(std::string_view model) {
  for (const auto& [beginning, preset] : names().models) {
    if (model.starts_with(beginning)) return preset;
  }
  return std::nullopt;
}

const NamedMachine* machine_called(std::string_view gpu) {
  for (const auto& [word, machine] : names().machines) {
    if (gpu.find(word) != std::string_view::npos) return &machine;
  }
  return nullptr;
}

}  // namespace trainsim
