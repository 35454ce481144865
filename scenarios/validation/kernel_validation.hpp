// The kernel cost model against published kernel tables: errors by operation and accelerator.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/validation/error_summary.hpp"
#include "scenarios/validation/kernel_rows.hpp"
#include "simulator/cost/efficiency.hpp"

namespace trainsim {

struct ComparedKernel {
  KernelRow row;
  double predicted_s = 0.0;

  [[nodiscard]] double error() const { return predicted_s / row.measured_s - 1.0; }
};

struct KernelErrors {
  std::string operation;
  std::string accelerator;
  ErrorSummary errors;                // over FLOPs, or bytes where there are none
  std::vector<ComparedKernel> worst;  // the five furthest off, furthest first
};

struct KernelValidation {
  std::vector<KernelErrors> groups;  // by operation, then accelerator
  std::vector<SkippedRows> skipped;
};

using EfficiencyOf = std::function<KernelEfficiency(const std::string& accelerator)>;

// Each row as the bare kernel (no stack's factors) on its accelerator. A row whose accelerator lacks the precision or
// the kernel moves to `skipped`.
std::vector<ComparedKernel> predict(KernelRows& rows, const EfficiencyOf& efficiency_of = kernel_efficiency);

// `folder` holds the tables; see read_kernel_rows.
KernelValidation validate_kernels(const std::filesystem::path& folder);

}  // namespace trainsim
