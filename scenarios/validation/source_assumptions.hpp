// What published runs leave unsaid and what their words mean, from catalog/sources.yaml and catalog/names.yaml: the
// code knows no source, model or machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/hardware.hpp"

namespace trainsim {

// Common to all rows of one source.
struct SourceAssumptions {
  // What `mem_gb` means.
  struct PrintedMemory {
    bool is_of_first_stage = false;  // of the pipeline; false: of the fullest
    bool is_of_allocator = false;    // without the driver's context and communication buffers
    double unit_bytes = 1e9;
  };
  struct SlowMessages {
    std::int64_t from_gpus = 0;  // jobs of at least so many
    std::string delay;           // as in a scenario's conditions.messages
  };

  std::string prefix;  // what source_id begins with
  std::string stack;
  std::vector<std::pair<std::string, std::string>> stack_of_gpu;  // a word of the GPU's name -> stack
  bool has_dropout = false;
  std::optional<std::int64_t> micro_batch;  // where the row has none
  bool tunes_micro_batch = false;        // where the row has none: the one that is predicted fastest of those that fit
  bool micro_batches_as_stages = false;  // in pipelines, whatever micro-batch the row prints
  bool keeps_weights_in_pipelines = false;  // full sharding gathers once for all micro-batches
  bool cuts_stages_by_parameters = false;  // layers and head by the parameters of their matrices, embedding for nothing
  std::optional<std::int64_t> virtual_stages;  // of an interleaved schedule whose number is not printed
  std::vector<std::string> order;              // of parallel dimensions, fastest first; empty: the default
  bool overlaps_tensor = false;
  std::string precision;  // where the row prints none
  std::string fp8_scaling = "current";
  bool frozen_weights_in_fp8 = false;  // of LoRA
  std::optional<SlowMessages> slow_messages;
  std::optional<PrintedMemory> printed_memory;  // nullopt: its figures, if any, are not compared
  std::string why;
};

// nullptr for a source that the catalog does not know.
const SourceAssumptions* assumptions_on(std::string_view source_id);

// The preset of the model whose row name begins so; nullopt when no entry fits.
std::optional<std::string> preset_called(std::string_view model);

struct NamedMachine {
  NodeSpec node;            // of the catalog
  std::string efa_node;     // the same with Amazon's adapters; empty: none known
  double memory_bytes = 0;  // of one GPU, as vendors print it
};

// The machine whose GPU's name has the entry's word in it; nullptr when no entry fits.
const NamedMachine* machine_called(std::string_view gpu);

}  // namespace trainsim
