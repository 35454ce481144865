#include "scenarios/run/child_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace trainsim {
namespace {

struct Child {
  pid_t id = 0;
  int out = -1;  // where its answer comes from
  std::size_t item = 0;
};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int out, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(out, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

Child start(std::size_t item, const std::function<std::string(std::size_t)>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const pid_t id = ::fork();
  if (id < 0) fail("fork");
  if (id == 0) {
    ::close(ends[0]);
    write_all(ends[1], work(item));
    ::_exit(0);
  }
  ::close(ends[1]);
  return {id, ends[0], item};
}

// Takes what the child has written; false when that was all.
bool read_some(const Child& child, std::string& text) {
  char piece[1U << 16U];
  const ssize_t got = ::read(child.out, piece, sizeof piece);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  text.append(piece, static_cast<std::size_t>(got));
  return true;
}

void end(const Child& child, ChildAnswer& answer) {
  ::close(child.out);
  int status = 0;
  while (::waitpid(child.id, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  answer.has_ended = false;
  answer.text = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                    : fmt::format("ended with status {}", WEXITSTATUS(status));
}

void wait_for_any(const std::vector<Child>& children, std::vector<pollfd>& polled) {
  polled.clear();
  for (const Child& child : children) polled.push_back({child.out, POLLIN, 0});
  while (::poll(polled.data(), polled.size(), -1) < 0) {
    if (errno != EINTR) fail("poll");
  }
}

}  // namespace

std::vector<ChildAnswer> in_children(std::size_t count, std::size_t jobs,
                                     const std::function<std::string(std::size_t)>& work) {
  std::vector<ChildAnswer> answers(count);
  std::vector<Child> children;
  std::vector<pollfd> polled;
  for (std::size_t next = 0; next < count || !children.empty();) {
    while (next < count && children.size() < std::max<std::size_t>(jobs, 1)) children.push_back(start(next++, work));
    wait_for_any(children, polled);
    for (std::size_t c = children.size(); c-- > 0;) {
      if (polled[c].revents == 0) continue;
      ChildAnswer& answer = answers[children[c].item];
      if (read_some(children[c], answer.text)) continue;
      end(children[c], answer);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(c));
    }
  }
  return answers;
}

}  // namespace trainsim
