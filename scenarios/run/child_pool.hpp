// Work in child processes, several at a time: a play is a process of its own anyway, and one that crashes takes nothing
// else with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace trainsim {

struct ChildAnswer {
  std::string text;       // what the work returned
  bool has_ended = true;  // false: the child crashed, and `text` says how
};

// work(0) … work(count - 1), at most `jobs` at once; answers in that order. `work` may throw nothing. Throws
// std::system_error when no child can be started.
std::vector<ChildAnswer> in_children(std::size_t count, std::size_t jobs,
                                     const std::function<std::string(std::size_t)>& work);

}  // namespace trainsim
