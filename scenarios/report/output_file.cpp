#include "scenarios/report/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <random>
#include <streambuf>
#include <system_error>

namespace trainsim {
namespace {

constexpr const char* kStandardOutput = "-";

// Buffers writes to a file descriptor that it does not own, and keeps the first error.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) { clear(); }
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override {
    if (!drain()) return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
  }
  int sync() override { return drain() ? 0 : -1; }

 private:
  void clear() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  bool drain() {
    const char* at = pbase();
    while (at != pptr() && error_ == 0) {
      const ssize_t written = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
      if (written >= 0) {
        at += written;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    clear();
    return error_ == 0;
  }

  int descriptor_;
  int error_ = 0;
  std::array<char, 65536> buffer_{};
};

// A file descriptor that closes itself; close() tells whether the system had kept an error for last.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, mode_t mode)
      : path_(path), value_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
    if (value_ < 0) throw WriteError(path, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  void close() {
    const int status = ::close(value_);
    value_ = -1;
    if (status != 0) throw WriteError(path_, errno);
  }
  [[nodiscard]] int value() const { return value_; }

 private:
  std::string path_;
  int value_;
};

// What a signal handler must find without allocating: the temporary of the write under way.
std::array<char, PATH_MAX> unfinished_path{};
std::atomic<bool> is_unfinished = false;
static_assert(std::atomic<bool>::is_always_lock_free);

// Announces a temporary file for as long as it exists, and removes it unless it was renamed.
class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) {
    if (path_.size() >= unfinished_path.size()) throw WriteError(path_, ENAMETOOLONG);
    path_.copy(unfinished_path.data(), path_.size());
    unfinished_path[path_.size()] = '\0';
    is_unfinished = true;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { remove_unfinished_file(); }

  void rename_to(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) throw WriteError(path, errno);
    is_unfinished = false;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Destination {
  std::string path;  // symbolic links resolved where there is something behind them
  std::string folder;
  bool exists = false;
  bool is_special = false;  // a device, pipe or socket: nothing to rename over
};

Destination inspect(const std::string& path) {
  if (path.empty()) throw WriteError("(empty path)", ENOENT);
  Destination result{path, "", false, false};
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) throw WriteError(path, EISDIR);
    result.exists = true;
    result.is_special = !S_ISREG(facts.st_mode);
    std::error_code error;
    const auto canonical = std::filesystem::canonical(path, error);
    if (!error) result.path = canonical.string();
  } else if (errno != ENOENT) {
    throw WriteError(path, errno);
  } else if (path.back() == '/') {
    throw WriteError(path, EISDIR);
  }
  result.folder = std::filesystem::path(result.path).parent_path().string();
  if (result.folder.empty()) result.folder = ".";
  return result;
}

void fill(int descriptor, const std::string& name, const std::function<void(std::ostream&)>& write) {
  DescriptorBuffer buffer(descriptor);
  std::ostream out(&buffer);
  write(out);
  out.flush();
  if (buffer.error() != 0) throw WriteError(name, buffer.error());
}

void replace_file(const std::string& name, const Destination& to, const std::function<void(std::ostream&)>& write) {
  Temporary temporary(fmt::format("{}/.trainsim-{}-{:08x}.tmp", to.folder, ::getpid(), std::random_device{}()));
  try {
    Descriptor file(temporary.path(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    struct stat facts {};
    // A replaced file keeps its permissions; on file systems without any, the default stays.
    if (to.exists && ::stat(to.path.c_str(), &facts) == 0 && ::fchmod(file.value(), facts.st_mode & 07777) != 0 &&
        errno != EPERM && errno != ENOTSUP) {
      throw WriteError(name, errno);
    }
    fill(file.value(), name, write);
    file.close();
    temporary.rename_to(to.path);
  } catch (const WriteError& error) {
    throw WriteError(name, error.error_number());  // under the name that the user knows
  }
}

}  // namespace

WriteError::WriteError(const std::string& path, int error_number)
    : std::runtime_error(
          fmt::format("{}: cannot write: {}", path, std::error_code(error_number, std::generic_category()).message())),
      error_number_(error_number) {}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == kStandardOutput) {
    fill(STDOUT_FILENO, "standard output", write);
    return;
  }
  const Destination destination = inspect(path);
  if (destination.is_special) {
    Descriptor file(path, O_WRONLY, 0);
    fill(file.value(), path, write);
    file.close();
  } else {
    check_writable(path);
    replace_file(path, destination, write);
  }
}

void check_writable(const std::string& path) {
  if (path == kStandardOutput) return;
  const Destination destination = inspect(path);
  if (destination.exists && ::access(destination.path.c_str(), W_OK) != 0) throw WriteError(path, errno);
  if (!destination.is_special && ::access(destination.folder.c_str(), W_OK | X_OK) != 0) {
    throw WriteError(path, errno);
  }
}

void remove_unfinished_file() noexcept {
  if (is_unfinished.exchange(false)) ::unlink(unfinished_path.data());
}

}  // namespace trainsim
