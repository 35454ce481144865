// A made-up accelerator and stack with round figures, so that expected times can be worked out by eye.
#pragma once

#include "simulator/cost/cost.hpp"

namespace trainsim {

inline Accelerator plain_accelerator() {
  Accelerator accelerator;
  accelerator.name = "plain";
  accelerator.architecture = "plain";
  accelerator.processors = 100;
  accelerator.power_w = 500;
  accelerator.peak_flops_per_s = {{"fp32", 20e12}, {"fp16", 200e12}, {"bf16", 200e12}, {"fp8", 400e12}};
  accelerator.memory_bandwidth_bytes_per_s = 2e12;
  return accelerator;
}

inline KernelEfficiency plain_efficiency() {
  KernelEfficiency efficiency;
  efficiency.matmul = {{"fp32", 0.5}, {"fp16", 0.5}, {"bf16", 0.5}, {"fp8", 0.25}};
  efficiency.attention[2] = {0.4, 0.2, 1000.0, 0.0};
  efficiency.power_w = 500;
  efficiency.memory = 0.5;
  efficiency.launch_s = 4e-6;
  return efficiency;
}

inline Stack plain_stack() {
  Stack stack;
  stack.optimizer_bandwidth_factor = 0.25;
  stack.kernels.flash_attention = 2;
  return stack;
}

}  // namespace trainsim
