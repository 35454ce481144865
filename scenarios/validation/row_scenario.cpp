#include "scenarios/validation/row_scenario.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "scenarios/report/yaml.hpp"
#include "scenarios/validation/row_sections.hpp"

namespace trainsim {
namespace {

std::string comments(const TrainingRow& row, const RowFindings& findings) {
  std::string text = fmt::format("# {} of training_runs.csv: {}", row.id(), row.text("source"));
  if (row.has("source_locator")) text += ", " + row.text("source_locator");
  text += ".\n";
  if (row.has("step_time_s_any")) {
    text += fmt::format("# Published: {} s per step ({}).\n", row.text("step_time_s_any"), row.text("step_time_kind"));
  }
  for (const std::string& assumption : findings.assumptions()) text += "# Assumed: " + assumption + ".\n";
  return text;
}

}  // namespace

std::vector<std::int64_t> tuned_micro_batches(const TrainingRow& row) {
  constexpr std::int64_t kMost = 64;
  const auto batch = row.count("global_batch"), data = row.count("dp");
  if (!row.assumptions().tunes_micro_batch || row.has("micro_batch") || !batch || !data) return {};
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= kMost && *batch % (*data * size) == 0; size *= 2) sizes.push_back(size);
  return sizes;
}

RowScenario scenario_of(const TrainingRow& row, const ScenarioChoices& choices) {
  RowFindings findings;
  const std::vector<std::int64_t> sizes = tuned_micro_batches(row);
  const std::optional<std::int64_t> tuned = choices.micro_batch || sizes.empty() ? choices.micro_batch : sizes.front();
  nlohmann::ordered_json json;
  json["trainsim"] = 1;
  json["name"] = row.id();
  json["model"] = model_section(row, findings);
  json["training"] = training_section(row, tuned, findings);
  json["parallelism"] = parallelism_section(row, findings);
  if (choices.stack.empty()) {
    json["software"] = software_section(row, findings);
  } else {
    json["software"] = {{"stack", choices.stack}};
  }
  json["cluster"] = cluster_section(row, findings);
  if (auto conditions = conditions_section(row, findings); !conditions.is_null()) json["conditions"] = conditions;

  RowScenario scenario{.yaml = {}, .lacks = findings.lacks(), .assumptions = findings.assumptions()};
  if (scenario.says_enough()) scenario.yaml = comments(row, findings) + to_yaml(json);
  return scenario;
}

std::filesystem::path write_row_scenario(const TrainingRow& row, const std::string& yaml,
                                         const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / (row.id() + ".yaml");
  std::ofstream stream(path);
  stream << yaml;
  stream.close();
  if (!stream) throw std::runtime_error(path.string() + ": cannot be written");
  return path;
}

}  // namespace trainsim
