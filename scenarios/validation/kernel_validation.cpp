#include "scenarios/validation/kernel_validation.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "simulator/cost/cost.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

// One cost model for all rows that need the same.
class BareKernels {
 public:
  explicit BareKernels(const EfficiencyOf& efficiency_of) : efficiency_of_(efficiency_of) {}

  // Throws std::invalid_argument when the accelerator does not have it.
  double seconds(const KernelRow& row) {
    const CostModel& model = model_of(row);
    double sum = 0.0;
    for (const Kernel& kernel : row.kernels) sum += model.seconds(kernel);
    return sum;
  }

 private:
  using Key = std::tuple<std::string, std::string, int, bool>;

  const CostModel& model_of(const KernelRow& row) {
    const Key key{row.accelerator, row.precision, row.flash, row.is_sustained};
    const auto known = models_.find(key);
    if (known != models_.end()) return known->second;
    KernelEfficiency efficiency = efficiency_of_(row.accelerator);
    if (!row.is_sustained) efficiency = in_bursts(std::move(efficiency));
    Stack bare;
    bare.kernels.flash_attention = row.flash;
    const Accelerator accelerator = catalog_accelerator(row.accelerator);
    const bool is_fp16_only = !accelerator.peak_flops_per_s.contains("bf16") && row.precision == "bf16";
    return models_.try_emplace(key, accelerator, efficiency, bare, Tuning{}, is_fp16_only ? "fp16" : row.precision)
        .first->second;
  }

  const EfficiencyOf& efficiency_of_;
  std::map<Key, CostModel> models_;
};

// What its error is drawn over.
double size_of(const KernelRow& row) {
  Work work;
  work.kernels = row.kernels;
  const double flops = CostModel::flops(work);
  if (flops > 0.0) return flops;
  double bytes = 0.0;
  for (const Kernel& kernel : row.kernels) {
    if (const auto* pass = std::get_if<MemoryBound>(&kernel)) bytes += pass->bytes;
  }
  return std::max(1.0, bytes);
}

KernelErrors errors_of(const std::string& operation, const std::string& accelerator,
                       std::vector<ComparedKernel> compared) {
  std::vector<PredictionError> errors;
  for (const ComparedKernel& one : compared) errors.push_back({one.error(), size_of(one.row)});
  return {operation, accelerator, summarize(errors), worst_of(std::move(compared))};
}

}  // namespace

std::vector<ComparedKernel> predict(KernelRows& rows, const EfficiencyOf& efficiency_of) {
  BareKernels kernels(efficiency_of);
  std::vector<ComparedKernel> compared;
  std::map<std::pair<std::string, std::string>, std::size_t> lacking;
  for (const KernelRow& row : rows.rows) {
    try {
      compared.push_back({row, kernels.seconds(row)});
    } catch (const std::invalid_argument& error) {
      ++lacking[{row.place.substr(0, row.place.find(".csv")), error.what()}];
    }
  }
  for (const auto& [what, count] : lacking) rows.skipped.push_back({what.first, what.second, count});
  return compared;
}

KernelValidation validate_kernels(const std::filesystem::path& folder) {
  KernelRows rows = read_kernel_rows(folder);
  std::map<std::pair<std::string, std::string>, std::vector<ComparedKernel>> groups;
  for (ComparedKernel& one : predict(rows)) groups[{one.row.operation, one.row.accelerator}].push_back(std::move(one));
  KernelValidation validation;
  validation.skipped = std::move(rows.skipped);
  for (auto& [key, compared] : groups) {
    validation.groups.push_back(errors_of(key.first, key.second, std::move(compared)));
  }
  return validation;
}

}  // namespace trainsim
