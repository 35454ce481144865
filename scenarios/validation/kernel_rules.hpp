// Which rows of the published kernel tables are what (catalog/kernels.yaml): the accelerator that a table's name means,
// and for each table rules of which the first that fits a row says what it measured, or why it cannot be compared.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/input/csv.hpp"

namespace trainsim {

struct KernelRule {
  std::vector<std::pair<std::string, std::vector<std::string>>> where;  // a column that has one of the words in it
  std::vector<std::pair<std::string, double>> below;                    // a column whose number is below this
  std::string skip;                                                     // why such rows are not compared
  std::string operation;  // what the report calls it; attention's direction is added
  std::string precision;
  int flash = 0;  // generation of fused attention
  bool is_sustained = false;
  bool is_grouped = false;
  bool accumulates_fp32 = false;
  double cast_kernels = 0.0;            // that cast the activations, timed with a product
  double cast_bytes_per_element = 0.0;  // that they move
  double window = 0.0;                  // keys of an attention window; 0: none

  [[nodiscard]] bool fits(const CsvRow& row) const;
};

struct KernelTableRules {
  std::string name;  // of the file, without .csv
  std::vector<KernelRule> rules;

  // nullptr when none fits.
  [[nodiscard]] const KernelRule* rule_of(const CsvRow& row) const;
};

struct KernelRules {
  std::map<std::string, std::string> accelerators;  // name in the tables -> entry of our catalog
  std::vector<KernelTableRules> tables;
};

KernelRules kernel_rules();

}  // namespace trainsim
