#include "scenarios/cli/scenario_arguments.hpp"

#include <CLI/CLI.hpp>

#include "scenarios/format/scenario.hpp"

namespace trainsim {

void add_set_option(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("--set", arguments.overrides, "Override one value, e.g. --set parallelism.tensor=4; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_scenario_arguments(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("FILE", arguments.file, "Scenario file (YAML or JSON)")->required()->type_name("");
  add_set_option(command, arguments);
}

ResolvedScenario load_scenario(const ScenarioArguments& arguments) {
  return resolve(read_scenario(arguments.file, arguments.overrides));
}

}  // namespace trainsim
