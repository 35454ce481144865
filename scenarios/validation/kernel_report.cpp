#include "scenarios/validation/kernel_report.hpp"

#include <fmt/format.h>

namespace trainsim {
namespace {

nlohmann::ordered_json worst_json(const ComparedKernel& one) {
  return {{"row", one.row.place},           {"shape", one.row.shape},
          {"stack", one.row.stack},         {"measured_s", one.row.measured_s},
          {"predicted_s", one.predicted_s}, {"error", one.error()}};
}

nlohmann::ordered_json group_json(const KernelErrors& group) {
  nlohmann::ordered_json json = {
      {"operation", group.operation}, {"accelerator", group.accelerator}, {"errors", summary_json(group.errors)}};
  json["worst"] = nlohmann::ordered_json::array();
  for (const ComparedKernel& one : group.worst) json["worst"].push_back(worst_json(one));
  return json;
}

}  // namespace

std::string kernel_table(const KernelValidation& validation) {
  std::string text = fmt::format("{:<44} {:<14} {:>6} {:>7} {:>7} {:>7} {:>7}\n", "kernel, errors in %", "accelerator",
                                 "n", "mean", "median", "p90", "bias");
  for (const KernelErrors& group : validation.groups) {
    text += fmt::format("{:<44} {:<14} {:>6} {:>7} {:>7} {:>7} {:>7}\n", group.operation, group.accelerator,
                        group.errors.n, in_percent(group.errors.mean), in_percent(group.errors.median),
                        in_percent(group.errors.p90), in_percent(group.errors.bias));
  }
  text += "\nnot compared\n";
  for (const SkippedRows& skipped : validation.skipped) {
    text += fmt::format("{:>7} rows of {:<14} {}\n", skipped.rows, skipped.table, skipped.reason);
  }
  return text;
}

std::string worst_kernels_table(const KernelValidation& validation) {
  std::string text;
  for (const KernelErrors& group : validation.groups) {
    text += fmt::format("{} on {}\n", group.operation, group.accelerator);
    for (const ComparedKernel& one : group.worst) {
      text += fmt::format("  {:<22} {:>10.1f} us measured {:>10.1f} us predicted {:>7} %  {}  {}\n", one.row.place,
                          1e6 * one.row.measured_s, 1e6 * one.predicted_s, in_percent(one.error()), one.row.shape,
                          one.row.stack);
    }
  }
  return text;
}

nlohmann::ordered_json kernel_json(const KernelValidation& validation) {
  nlohmann::ordered_json json = {{"groups", nlohmann::ordered_json::array()},
                                 {"skipped", nlohmann::ordered_json::array()}};
  for (const KernelErrors& group : validation.groups) json["groups"].push_back(group_json(group));
  for (const SkippedRows& skipped : validation.skipped) {
    json["skipped"].push_back({{"table", skipped.table}, {"reason", skipped.reason}, {"rows", skipped.rows}});
  }
  return json;
}

}  // namespace trainsim
