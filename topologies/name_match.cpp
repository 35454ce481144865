#include "topologies/name_match.hpp"

#include <cstddef>

namespace trainsim {

// Greedy with one point of return, the last star: linear space, and no exponential cases.
bool matches(std::string_view glob, std::string_view name) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t g = 0;
  std::size_t n = 0;
  std::size_t star = kNone;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != kNone) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace trainsim
