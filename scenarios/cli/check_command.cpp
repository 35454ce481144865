// trainsim check FILE: is the scenario valid, and what does it resolve to?
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>
#include <string>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/describe_scenario.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/cli/scenario_arguments.hpp"
#include "scenarios/report/figures.hpp"
#include "scenarios/report/output_file.hpp"
#include "scenarios/report/yaml.hpp"

namespace trainsim {

void add_check_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("check", "Validate a scenario without playing it");
  const auto arguments = std::make_shared<ScenarioArguments>();
  const auto is_printed = std::make_shared<bool>(false);
  add_scenario_arguments(*command, *arguments);
  command->add_flag("--print", *is_printed, "Print the resolved scenario, every default filled in, as YAML");
  command->callback([=, &chosen] {
    chosen = [=] {
      const ResolvedScenario scenario = load_scenario(*arguments);
      const std::string text = *is_printed ? to_yaml(scenario.json)
                                           : fmt::format("{}: ok\n{}\n", printable(arguments->file), summary(scenario));
      write_file("-", [&](std::ostream& out) { out << text; });
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace trainsim
