// Rows of the published kernel tables as kernels of ours. What a row is, catalog/kernels.yaml says; a row that cannot
// be compared is counted with its reason.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "workloads/program.hpp"

namespace trainsim {

struct KernelRow {
  std::string operation;    // what the report calls it
  std::string accelerator;  // of our catalog
  std::string precision;
  int flash = 0;
  bool is_sustained = false;
  std::vector<Kernel> kernels;  // one after another
  double measured_s = 0.0;
  std::string place;  // file and line
  std::string shape;
  std::string stack;
};

// Rows of one table that are not compared, for one reason.
struct SkippedRows {
  std::string table;
  std::string reason;
  std::size_t rows = 0;
};

struct KernelRows {
  std::vector<KernelRow> rows;
  std::vector<SkippedRows> skipped;
};

// `folder` holds the tables that catalog/kernels.yaml names, as .csv. Throws InputError for one that cannot be read.
KernelRows read_kernel_rows(const std::filesystem::path& folder);

}  // namespace trainsim
