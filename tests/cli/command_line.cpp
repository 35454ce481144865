#include "tests/cli/command_line.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace trainsim {
namespace {

// Two layers on two of a node's GPUs: played in well under a second.
constexpr const char* kScenario = R"(trainsim: 1
name: tiny
model:
  transformer: {layers: 2, hidden_size: 256, attention_heads: 4, vocab_size: 1024}
training: {global_batch_size: 4, micro_batch_size: 1, sequence_length: 128, precision: bf16}
parallelism: {tensor: 2}
cluster: {gpus: 2, node: hgx-a100-80g}
)";

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void redirect(const std::string& path, int flags, int descriptor) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(127);
  ::close(file);
}

}  // namespace

CommandLine::CommandLine() {
  std::string pattern = testing::TempDir() + "/cli-XXXXXX";
  folder_ = ::mkdtemp(pattern.data());
  write("tiny.yaml", kScenario);
}

CommandLine::~CommandLine() { std::filesystem::remove_all(folder_); }

Outcome CommandLine::trainsim(std::vector<std::string> arguments, const std::string& standard_output) const {
  const std::string captured_out = folder_.string() + ".out", captured_err = folder_.string() + ".err";
  arguments.insert(arguments.begin(), TRAINSIM_PROGRAM);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(folder_.c_str()) != 0) ::_exit(127);
    const bool is_captured = standard_output.empty();
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(is_captured ? captured_out : standard_output, is_captured ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY,
             STDOUT_FILENO);
    redirect(captured_err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(captured_out),
                  content_of(captured_err)};
  std::filesystem::remove(captured_out);
  std::filesystem::remove(captured_err);
  return outcome;
}

void CommandLine::write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
}

std::string CommandLine::read(const std::string& name) const { return content_of(folder_ / name); }

std::vector<std::string> CommandLine::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trainsim
