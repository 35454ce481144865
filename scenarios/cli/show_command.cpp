// trainsim show WHAT: a scenario as it resolves, or an entry of the catalog.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "scenarios/cli/catalog_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/describe_scenario.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/cli/scenario_arguments.hpp"
#include "scenarios/report/output_file.hpp"
#include "simulator/input/input_error.hpp"
#include "topologies/catalog.hpp"
#include "workloads/presets.hpp"

namespace trainsim {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::string> catalog_page(const std::string& name) {
  if (contains(node_names(), name)) return page(catalog_node(name));
  if (contains(model_names(), name)) return page(preset_model(name));
  if (contains(stack_names(), name)) return page(catalog_stack(name));
  if (contains(accelerator_names(), name)) return page(catalog_accelerator(name));
  return std::nullopt;
}

// Names of the format that no catalog has yet.
bool is_later(const std::string& name) {
  for (const auto& names : {later_node_names(), later_model_names(), later_accelerator_names()}) {
    if (contains(names, name)) return true;
  }
  return false;
}

// A word that names neither a file nor an entry may be either, misspelt.
void refuse_unknown(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& names : {node_names(), model_names(), stack_names(), accelerator_names()}) {
    known.insert(known.end(), names.begin(), names.end());
  }
  const std::string close = nearest(name, known);
  Diagnostic diagnostic;
  diagnostic.where.file = name;
  if (is_later(name)) {
    diagnostic.what = "not supported yet";
    throw InputError({diagnostic});
  }
  diagnostic.what = "no such file, and no node, model, stack or accelerator of that name";
  if (!close.empty()) diagnostic.allowed = fmt::format("did you mean {}?", close);
  throw InputError({diagnostic});
}

std::string shown(const ScenarioArguments& arguments) {
  std::error_code error;
  const bool is_file = std::filesystem::exists(arguments.file, error);
  if (!is_file && arguments.overrides.empty()) {
    if (const auto text = catalog_page(arguments.file)) return *text;
    const std::string extension = std::filesystem::path(arguments.file).extension();
    if (extension != ".yaml" && extension != ".yml" && extension != ".json") refuse_unknown(arguments.file);
  }
  return description(load_scenario(arguments));
}

}  // namespace

void add_show_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("show", "Show a scenario as it resolves, or an entry of the catalog");
  const auto arguments = std::make_shared<ScenarioArguments>();
  command->add_option("WHAT", arguments->file, "Scenario file, or the name of a node, model, stack or accelerator")
      ->required()
      ->type_name("");
  add_set_option(*command, *arguments);
  command->callback([=, &chosen] {
    chosen = [=] {
      const std::string text = shown(*arguments);
      write_file("-", [&](std::ostream& out) { out << text; });
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace trainsim
