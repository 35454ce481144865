#include "tests/bench/measured_run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/bench/yardstick.hpp"

namespace trainsim {
namespace {

struct Exit {
  int status = 0;  // as of wait4
  rusage usage{};
  std::string out;
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(TRAINSIM_PROGRAM ": " + what); }

// Starts the program with standard output going into `out`; complaints go where ours go.
pid_t start(std::vector<std::string> arguments, int out) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&streams, out, STDOUT_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, TRAINSIM_PROGRAM, &streams, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  if (error != 0) fail("cannot be started");
  return child;
}

std::string read_to_end(int in) {
  std::string text;
  char piece[1U << 16U];
  for (;;) {
    const ssize_t got = ::read(in, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

Exit run_to_exit(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe to it");
  const pid_t child = start(arguments, ends[1]);
  ::close(ends[1]);
  Exit exit;
  exit.out = read_to_end(ends[0]);
  ::close(ends[0]);
  while (::wait4(child, &exit.status, 0, &exit.usage) < 0) {
    if (errno != EINTR) fail("cannot be waited for");
  }
  return exit;
}

bool has_result(int status) {
  constexpr int kDone = 0, kDoesNotFit = 1;  // a plan that does not fit is simulated all the same
  return WIFEXITED(status) && (WEXITSTATUS(status) == kDone || WEXITSTATUS(status) == kDoesNotFit);
}

}  // namespace

MeasuredRun measure_run(const std::filesystem::path& scenario, const std::vector<std::string>& overrides) {
  std::vector<std::string> arguments = {"trainsim", "run", scenario.string(), "--quiet", "--json", "-"};
  for (const std::string& override : overrides) {
    arguments.emplace_back("--set");
    arguments.push_back(override);
  }
  Exit exit;
  MeasuredRun run;
  run.wall_s = seconds_of([&] { exit = run_to_exit(arguments); });
  if (!has_result(exit.status)) fail("gave no result for " + scenario.string());

  const nlohmann::json result = nlohmann::json::parse(exit.out);
  run.gpus = result.at("cluster").at("gpus");
  run.rank_classes = result.at("simulation").at("rank_classes");
  run.activities = result.at("simulation").at("activities");
  run.peak_bytes = static_cast<double>(exit.usage.ru_maxrss) * 1024.0;
  return run;
}

MeasuredRun fastest_run(const std::filesystem::path& scenario, const std::vector<std::string>& overrides, int times) {
  MeasuredRun fastest = measure_run(scenario, overrides);
  for (int i = 1; i < times; ++i) {
    const MeasuredRun run = measure_run(scenario, overrides);
    if (run.wall_s < fastest.wall_s) fastest = run;
  }
  return fastest;
}

}  // namespace trainsim
