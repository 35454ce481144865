// What is wrong with something a user wrote, and where. All faults of a file are collected in Diagnostics and thrown
// together as one InputError: "FILE:LINE:COLUMN: key.path: what; what is allowed".
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainsim {

// A place in an input file. Lines and columns (in characters) count from 1; line 0 means "the file as a whole" (it
// cannot be read), or an override on the command line (the file is then "--set").
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Diagnostic {
  Location where;
  std::string key;      // dotted path, e.g. "parallelism.tensor"; may be empty
  std::string what;     // what is wrong
  std::string allowed;  // what would be right; may be empty

  // One line, control characters escaped.
  [[nodiscard]] std::string text() const;
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// Collects faults while a file is read, so that a user sees them all at once.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }
  [[nodiscard]] bool empty() const { return diagnostics_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return diagnostics_; }
  // Throws an InputError with all faults, sorted by place, if there are any.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> diagnostics_;
};

// The known word closest to `word` (edit distance at most 2, or a third of its length), or an empty string.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace trainsim
