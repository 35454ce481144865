// Where results go: a file that appears whole or not at all, or standard output, which is called "-".
#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>

namespace trainsim {

// A result that could not be written. what(): "PATH: cannot write: REASON".
class WriteError : public std::runtime_error {
 public:
  WriteError(const std::string& path, int error_number);
  [[nodiscard]] int error_number() const { return error_number_; }  // errno of the failed call

 private:
  int error_number_;
};

// Lets `write` fill a temporary file in the folder of `path`, then renames it over `path`, so that a reader sees the
// old content or the new one. A symbolic link is followed. A device or pipe is written to directly. When something
// fails or `write` throws, an existing file is as before and no temporary is left. Throws WriteError. One call at a
// time.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

// Throws the WriteError that write_file would end with, as far as it can be told without writing. Creates nothing.
void check_writable(const std::string& path);

// Removes the temporary of a write_file under way, if any. Safe to call from a signal handler.
void remove_unfinished_file() noexcept;

}  // namespace trainsim
