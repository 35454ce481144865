#include <algorithm>
#include <filesystem>

#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

// The format's stacks that have no catalog entry yet.
std::vector<std::string> later_stack_names(const std::vector<std::string>& known) {
  std::vector<std::string> later = {"megatron-2021", "megatron-2022", "megatron-core", "nemo-mlperf",  "llama3",
                                    "nanotron",      "llm-foundry",   "torchtitan",    "pytorch-fsdp", "pytorch-ddp",
                                    "deepspeed",     "rocm-megatron", "maxtext"};
  std::erase_if(later,
                [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); });
  return later;
}

// Refuses `true` for a switch whose feature does not exist yet.
void read_later_switch(MapReader& map, std::string_view key) {
  if (map.boolean(key).value_or(false)) map.fault(key, "not supported yet", "false");
}

Tuning read_tuning(MapReader& software) {
  Tuning tuning;
  read_map(software, "tuning", [&tuning](MapReader& map) {
    const auto factor = [&map](std::string_view key) {
      return map.number(key, {.low = 0.0, .high = 1000.0, .low_is_open = true}).value_or(1.0);
    };
    tuning.gemm_efficiency_factor = factor("gemm_efficiency_factor");
    tuning.attention_efficiency_factor = factor("attention_efficiency_factor");
    tuning.memory_efficiency_factor = factor("memory_efficiency_factor");
    tuning.network_efficiency_factor = factor("network_efficiency_factor");
  });
  return tuning;
}

// A name of the catalog, or a file beside the scenario.
void read_stack(MapReader& map, SoftwareSection& software) {
  const Node* node = map.node("stack");
  if (node == nullptr) return;
  if (node->kind == Node::Kind::scalar && node->scalar.ends_with(".yaml")) {
    software.stack = node->scalar;
    software.stack_file = std::filesystem::path(map.context().file).parent_path() / node->scalar;
    return;
  }
  const std::vector<std::string> stacks = stack_names();
  software.stack = read_word(map, "stack", stacks, later_stack_names(stacks)).value_or(software.stack);
}

}  // namespace

SoftwareSection read_software(MapReader& root) {
  SoftwareSection software;
  read_map(root, "software", [&software](MapReader& map) {
    read_stack(map, software);
    if (const auto version = map.integer("flash_attention", {0, 3})) {
      software.flash_attention = static_cast<int>(*version);
    }
    read_later_switch(map, "compile");
    read_map(map, "collectives", [&software](MapReader& collectives) {
      CollectiveChoice& choice = software.collectives;
      choice.algorithm = read_word(collectives, "algorithm", algorithm_names()).value_or(choice.algorithm);
      choice.protocol = read_word(collectives, "protocol", protocol_names()).value_or(choice.protocol);
      choice.in_network = collectives.boolean("in_network").value_or(choice.in_network);
    });
    software.tuning = read_tuning(map);
  });
  return software;
}

}  // namespace trainsim
