// The arguments of every subcommand that reads a scenario: the file and what overrides it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/resolve/resolve.hpp"

namespace CLI {
class App;
}

namespace trainsim {

struct ScenarioArguments {
  std::string file;
  std::vector<std::string> overrides;  // "key.path=value", later ones win
};

void add_set_option(CLI::App& command, ScenarioArguments& arguments);
void add_scenario_arguments(CLI::App& command, ScenarioArguments& arguments);

// Throws InputError with all faults.
ResolvedScenario load_scenario(const ScenarioArguments& arguments);

}  // namespace trainsim
