#include "scenarios/cli/surroundings.hpp"

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "scenarios/report/output_file.hpp"

namespace trainsim {
namespace {

void leave_nothing_half_written(int signal_number) {
  remove_unfinished_file();
  std::raise(signal_number);  // the handler is gone by now (SA_RESETHAND), so this ends the program
}

}  // namespace

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    const int unusable = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (unusable < 0) return;  // no worse than before
  }
}

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    ::sigaction(signal_number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // as nohup asked
    action.sa_handler = &leave_nothing_half_written;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    ::sigaction(signal_number, &action, nullptr);
  }
}

void set_up_log() {
  spdlog::set_default_logger(spdlog::stderr_logger_st("trainsim"));
  spdlog::set_pattern("trainsim: %v");
}

void set_verbosity(Verbosity verbosity) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::err, spdlog::level::info, spdlog::level::debug};
  spdlog::set_level(kLevels[static_cast<int>(verbosity)]);
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace trainsim
