// The answer to one scenario, as plain data: the result page's fields (docs/result.md). SI units; shares are of 1.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "workloads/memory.hpp"

namespace trainsim {

struct Result {
  std::string scenario;
  nlohmann::ordered_json resolved;
  struct Cluster {
    std::int64_t gpus = 0, nodes = 0;
    std::string accelerator;
  } cluster;
  struct ModelFacts {
    std::string name;  // for people; not in the JSON
    double parameters = 0, active_parameters = 0, flops_per_token = 0;
  } model;
  struct PlanFacts {
    std::int64_t tensor = 1, context = 1, pipeline = 1, expert = 1, data = 1, micro_batches = 1;
    std::vector<std::int64_t> layers_per_stage;
  } plan;
  struct Memory {
    bool fits = true;
    double capacity_bytes = 0;
    std::vector<MemoryParts> by_stage;
    std::size_t peak_stage = 0;
    std::int64_t largest_micro_batch = 0;
  } memory;
  // Of the step time: nine tenths of measured runs of its kind lie within.
  struct Interval {
    double coverage = 0.9;
    double low_s = 0, high_s = 0;
    std::vector<std::string> rests_on;  // the measured runs; empty where none is like it
  };
  struct Step {
    Interval interval;
    double time_s = 0;
    std::int64_t measured_steps = 0;
    double samples_per_s = 0, tokens_per_s = 0, tokens_per_s_per_gpu = 0;
    double model_tflops_per_gpu = 0, hardware_tflops_per_gpu = 0, peak_tflops = 0, mfu = 0, hfu = 0;
  } step;
  std::map<std::string, double> gpu_time;  // every name of the page but those that are always absent
  struct Stage {
    double idle_fraction = 0;
    std::map<std::string, double> gpu_time;
  };
  std::vector<Stage> by_stage;
  double idle_fraction = 0, gpu_utilization = 0;
  struct LinkClass {
    std::string name;
    double mean_load = 0, peak_load = 0, saturated_share = 0;
  };
  std::vector<LinkClass> links;
  struct Bottleneck {
    std::string resource, why;
  } bottleneck;
  struct Run {
    double steps = 0, time_to_train_s = 0;
  } run;
  struct Simulation {
    std::uint64_t rank_classes = 0, transfer_classes = 0, link_classes = 0, activities = 0;
  } simulation;
  std::string catalog_sha256;
  std::vector<std::string> notes;  // what the reader must know: estimates used, defaults that matter
};

}  // namespace trainsim
