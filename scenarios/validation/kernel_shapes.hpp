// The kernels that one row of a published table timed, read from its columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/validation/kernel_rules.hpp"
#include "workloads/program.hpp"

namespace trainsim {

struct TimedKernels {
  std::string operation;  // the rule's, with what the row adds to it
  std::vector<Kernel> kernels;
  double measured_s = 0.0;
  std::string shape;  // for people
};

// nullopt when the row lacks a column that the table's kind needs. Throws std::out_of_range for an unknown table.
std::optional<TimedKernels> timed_kernels(const std::string& table, const CsvRow& row, const KernelRule& rule);

}  // namespace trainsim
