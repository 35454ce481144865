// play(): the simulation in a forked child, its Timeline back over a pipe. A crash of SimGrid or a play that never ends
// becomes a message; the next play finds a fresh SimGrid.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "simulator/engine/play.hpp"

namespace trainsim {
namespace {

constexpr rlim_t kMemoryLimitBytes = rlim_t{32} << 30U;
constexpr rlim_t kCpuLimitS = 3600;

enum class Outcome : char { timeline = 't', deadlock = 'd', too_many_events = 'm', error = 'e' };

class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_) != 0) throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(int end) {
    if (ends_[end] >= 0) ::close(std::exchange(ends_[end], -1));
  }

  void write_all(const void* data, std::size_t size) const {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(ends_[1], from, size);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) ::_exit(1);  // the parent is gone: nobody to tell
      from += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  // Whether all bytes came before the end of the stream.
  bool read_all(void* data, std::size_t size) const {
    char* to = static_cast<char*>(data);
    while (size > 0) {
      const ssize_t got = ::read(ends_[0], to, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int ends_[2] = {-1, -1};
};

template <class T>
void send(const Pipe& pipe, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t count = values.size();
  pipe.write_all(&count, sizeof count);
  pipe.write_all(values.data(), values.size() * sizeof(T));
}

template <class T>
bool receive(const Pipe& pipe, std::vector<T>& values) {
  std::uint64_t count = 0;
  if (!pipe.read_all(&count, sizeof count)) return false;
  values.resize(count);
  return pipe.read_all(values.data(), count * sizeof(T));
}

template <class T>
void send(const Pipe& pipe, const std::vector<std::vector<T>>& rows) {
  const std::uint64_t count = rows.size();
  pipe.write_all(&count, sizeof count);
  for (const auto& row : rows) send(pipe, row);
}

template <class T>
bool receive(const Pipe& pipe, std::vector<std::vector<T>>& rows) {
  std::uint64_t count = 0;
  if (!pipe.read_all(&count, sizeof count)) return false;
  rows.resize(count);
  for (auto& row : rows) {
    if (!receive(pipe, row)) return false;
  }
  return true;
}

struct Scalars {
  std::uint32_t first_measured_step = 0;
  std::uint32_t last_measured_step = 0;
  std::uint64_t activities = 0;
};

void send_timeline(const Pipe& pipe, const Timeline& timeline) {
  const Outcome outcome = Outcome::timeline;
  pipe.write_all(&outcome, 1);
  const Scalars scalars = {timeline.first_measured_step, timeline.last_measured_step, timeline.activities};
  pipe.write_all(&scalars, sizeof scalars);
  send(pipe, timeline.spans);
  send(pipe, timeline.compute);
  send(pipe, timeline.residencies);
  send(pipe, timeline.step_ends_s);
  send(pipe, timeline.loads);
}

bool receive_timeline(const Pipe& pipe, Timeline& timeline) {
  Scalars scalars;
  if (!pipe.read_all(&scalars, sizeof scalars)) return false;
  timeline.first_measured_step = scalars.first_measured_step;
  timeline.last_measured_step = scalars.last_measured_step;
  timeline.activities = scalars.activities;
  return receive(pipe, timeline.spans) && receive(pipe, timeline.compute) && receive(pipe, timeline.residencies) &&
         receive(pipe, timeline.step_ends_s) && receive(pipe, timeline.loads);
}

void send_failure(const Pipe& pipe, Outcome outcome, const std::string& what) {
  pipe.write_all(&outcome, 1);
  send(pipe, std::vector<char>(what.begin(), what.end()));
}

void limit(int resource, rlim_t most) {
  const rlimit value = {most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &value);
}

[[noreturn]] void run_child(const Pipe& pipe, const Play& play) {
#ifndef __SANITIZE_ADDRESS__  // its shadow alone reserves terabytes of address space
  limit(RLIMIT_AS, kMemoryLimitBytes);
#endif
  limit(RLIMIT_CPU, kCpuLimitS);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the answer
  limit(RLIMIT_CORE, 0);
  try {
    send_timeline(pipe, play_here(play));
  } catch (const Deadlock& deadlock) {
    send_failure(pipe, Outcome::deadlock, deadlock.what());
  } catch (const TooManyEvents& excess) {
    send_failure(pipe, Outcome::too_many_events, excess.what());
  } catch (const std::exception& error) {
    send_failure(pipe, Outcome::error, error.what());
  }
  ::_exit(0);  // no destructors of the parent's objects, no flushing of its buffers
}

std::string cause_of_death(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL)
      return "it ran out of time or memory (" + std::string(::strsignal(signal)) + ")";
    return std::string("it was ended by a signal (") + ::strsignal(signal) + ")";
  }
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Timeline play(const Play& play) {
  Pipe pipe;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(std::string("cannot start the simulation: ") + std::strerror(errno));
  if (child == 0) {
    pipe.close_end(0);
    run_child(pipe, play);
  }
  pipe.close_end(1);
  Outcome outcome = Outcome::error;
  Timeline timeline;
  std::vector<char> what;
  const bool has_outcome = pipe.read_all(&outcome, 1);
  const bool is_whole =
      has_outcome && (outcome == Outcome::timeline ? receive_timeline(pipe, timeline) : receive(pipe, what));
  const std::string cause = cause_of_death(child);
  if (!is_whole) throw std::runtime_error("the simulation died: " + cause);
  if (outcome == Outcome::deadlock) throw Deadlock(std::string(what.begin(), what.end()));
  if (outcome == Outcome::too_many_events) throw TooManyEvents(std::string(what.begin(), what.end()));
  if (outcome == Outcome::error) throw std::runtime_error(std::string(what.begin(), what.end()));
  return timeline;
}

}  // namespace trainsim
