#include <fmt/format.h>

#include <iterator>

#include "scenarios/validation/collective_validation.hpp"

namespace trainsim {
namespace {

constexpr double kPercent = 100.0;

std::string summary_cells(const ErrorSummary& summary) {
  return fmt::format("{:>6} {:>8.1f} {:>8.1f} {:>8.1f} {:>+8.1f} {:>+8.1f}", summary.n, summary.median * kPercent,
                     summary.mean * kPercent, summary.p90 * kPercent, summary.bias * kPercent,
                     summary.slope_per_decade * kPercent);
}

nlohmann::ordered_json row_json(const ComparedCollective& row) {
  return {{"place", row.place},
          {"source", row.source},
          {"collective", row.collective},
          {"accelerator", row.accelerator},
          {"network", row.network},
          {"nodes", row.nodes},
          {"gpus", row.gpus},
          {"bytes", row.bytes},
          {"measured_s", row.measured_s},
          {"predicted_s", row.predicted_s},
          {"algorithm", row.algorithm},
          {"error", row.error()}};
}

}  // namespace

std::string collective_table(const CollectiveValidation& validation) {
  constexpr std::string_view kNames = "{:<15} {:<22} {:<11}";
  std::string text = fmt::format(fmt::runtime(kNames), "collective", "accelerator", "network");
  text += fmt::format(" {:>6} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "rows", "median", "mean", "p90", "bias", "slope");
  for (const CollectiveValidation::Group& group : validation.groups) {
    text += fmt::format(fmt::runtime(kNames), group.collective, group.accelerator, group.network);
    text += " " + summary_cells(group.time) + "\n";
  }
  text += fmt::format(fmt::runtime(kNames), "all", "", "") + " " + summary_cells(validation.all) + "\n";
  text += "(errors of the predicted time in %; slope: of the signed error per tenfold size)\n\nworst\n";
  for (const ComparedCollective& row : validation.worst) {
    text += fmt::format("  {:+.0f} %  {} {} x{} ({} nodes), {:.0f} bytes: {:.1f} us, predicted {:.1f} us ({}); {}\n",
                        row.error() * kPercent, row.collective, row.accelerator, row.gpus, row.nodes, row.bytes,
                        row.measured_s * 1e6, row.predicted_s * 1e6, row.algorithm, row.place);
  }
  text += "\nnot compared\n";
  for (const auto& [why, rows] : validation.set_aside) text += fmt::format("{:>7}  {}\n", rows, why);
  return text;
}

nlohmann::ordered_json collective_json(const CollectiveValidation& validation) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array(), worst = groups, set_aside = groups, rows = groups;
  for (const CollectiveValidation::Group& group : validation.groups) {
    groups.push_back({{"collective", group.collective},
                      {"accelerator", group.accelerator},
                      {"network", group.network},
                      {"time", summary_json(group.time)}});
  }
  for (const ComparedCollective& row : validation.worst) worst.push_back(row_json(row));
  for (const ComparedCollective& row : validation.compared) rows.push_back(row_json(row));
  for (const auto& [why, count] : validation.set_aside) set_aside.push_back({{"why", why}, {"rows", count}});
  return {{"all", summary_json(validation.all)},
          {"groups", groups},
          {"worst", worst},
          {"set_aside", set_aside},
          {"rows", rows}};
}

}  // namespace trainsim
