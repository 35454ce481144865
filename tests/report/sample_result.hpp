// A made-up result with every field set, for the report's tests.
#pragma once

#include "scenarios/run/result.hpp"

namespace trainsim {

inline Result sample_result() {
  constexpr double kGib = 1073741824.0;
  Result result;
  result.scenario = "two-stages";
  result.resolved = {{"trainsim", 1}, {"name", "two-stages"}};
  result.cluster = {1536, 192, "a100-sxm-80g"};
  result.model.name = "gpt3-175b";
  result.model.parameters = 174.6e9;
  result.model.active_parameters = 174.6e9;
  result.model.flops_per_token = 1.06e12;
  result.plan = {8, 1, 2, 1, 96, 16, {48, 48}};
  result.memory.capacity_bytes = 79.25 * kGib;
  result.memory.by_stage = {{20 * kGib, 20 * kGib, 15 * kGib, 4 * kGib, 1 * kGib, 1.5 * kGib},
                            {20 * kGib, 20 * kGib, 15 * kGib, 2 * kGib, 1 * kGib, 1.5 * kGib}};
  result.memory.largest_micro_batch = 2;
  const Result::Interval interval{0.9, 19.0, 22.5, {"9 dense runs of megatron-2022"}};
  result.step = {interval, 20.8345, 2, 73.724, 150987.0, 98.299, 138.2, 184.3, 312.0, 0.443, 0.5907};
  result.gpu_time = {{"compute", 0.61},     {"recompute", 0.1}, {"optimizer", 0.01}, {"exposed_tensor", 0.12},
                     {"exposed_data", 0.0}, {"bubble", 0.1598}, {"host", 0.0002}};
  result.by_stage = {{0.3, {{"compute", 0.7}, {"bubble", 0.3}}}, {0.26, {{"compute", 0.74}, {"bubble", 0.26}}}};
  result.idle_fraction = 0.28;
  result.gpu_utilization = 0.84;
  result.links = {{"nvlink", 0.4, 1.0, 0.2}, {"nic", 0.05, 0.5, 0.0}};
  result.bottleneck = {"nvlink",
                       "12.0 % of the GPUs' time waits for tensor-parallel transfers, which fill the nvlink links."};
  result.run = {95367.43, 1986933.0};
  result.simulation = {2, 6, 4, 12345};
  result.catalog_sha256 = "0123456789abcdef";
  result.notes = {"the efficiency of a100-sxm-80g is estimated"};
  return result;
}

}  // namespace trainsim
