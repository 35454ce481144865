// The subcommands, one file each. Each declares its options on `app` and, when the user chooses it, leaves in `chosen`
// what is to be done; that returns an ExitStatus and throws InputError, WriteError or what the library throws.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace trainsim {

using Action = std::function<int()>;

void add_run_command(CLI::App& app, Action& chosen);
void add_check_command(CLI::App& app, Action& chosen);
void add_list_command(CLI::App& app, Action& chosen);
void add_show_command(CLI::App& app, Action& chosen);
void add_validate_command(CLI::App& app, Action& chosen);
void add_calibrate_command(CLI::App& app, Action& chosen);

}  // namespace trainsim
