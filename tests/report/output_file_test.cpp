#include "scenarios/report/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>

namespace trainsim {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() {
    std::string pattern = testing::TempDir() + "/output-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] auto file_count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static int error_of(const std::string& file) {
    try {
      write_file(file, [](std::ostream& out) { out << "x"; });
    } catch (const WriteError& error) {
      return error.error_number();
    }
    return 0;
  }

  fs::path folder_;
};

TEST_F(OutputFile, IsCreatedWithItsContentAndNothingElse) {
  write_file(path("a"), [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(content(path("a")), "new");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(OutputFile, KeepsTheOldContentAndLeavesNoTemporaryWhenTheWriterFails) {
  write_file(path("a"), [](std::ostream& out) { out << "old"; });
  EXPECT_THROW(write_file(path("a"),
                          [](std::ostream& out) {
                            out << std::string(200000, 'x') << std::flush;
                            throw std::logic_error("mid-way");
                          }),
               std::logic_error);
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(OutputFile, ShowsTheOldContentUntilTheNewOneIsComplete) {
  write_file(path("a"), [](std::ostream& out) { out << "old"; });
  write_file(path("a"), [&](std::ostream& out) {
    out << "new" << std::flush;
    EXPECT_EQ(content(path("a")), "old");
  });
  EXPECT_EQ(content(path("a")), "new");
}

TEST_F(OutputFile, LosesItsTemporaryWhenASignalHandlerAsks) {
  EXPECT_THROW(write_file(path("a"),
                          [this](std::ostream&) {
                            EXPECT_EQ(file_count(), 1);
                            remove_unfinished_file();
                            EXPECT_EQ(file_count(), 0);
                          }),
               WriteError);
  EXPECT_EQ(file_count(), 0);
}

TEST_F(OutputFile, KeepsThePermissionsOfTheFileThatItReplaces) {
  write_file(path("a"), [](std::ostream& out) { out << "old"; });
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  write_file(path("a"), [](std::ostream& out) { out << "new"; });
  struct stat facts {};
  ASSERT_EQ(::stat(path("a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0640U);
}

TEST_F(OutputFile, FollowsASymbolicLink) {
  write_file(path("a"), [](std::ostream& out) { out << "old"; });
  fs::create_symlink("a", path("link"));
  write_file(path("link"), [](std::ostream& out) { out << "new"; });
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("a")), "new");
}

TEST_F(OutputFile, WritesToADeviceWithoutReplacingIt) {
  write_file("/dev/null", [](std::ostream& out) { out << "x"; });
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(error_of("/dev/full"), ENOSPC);
}

TEST_F(OutputFile, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(error_of(path("missing/a")), ENOENT);
  EXPECT_EQ(error_of(folder_.string()), EISDIR);
  EXPECT_EQ(error_of(path("new/")), EISDIR);
  EXPECT_EQ(error_of(""), ENOENT);
  write_file(path("a"), [](std::ostream& out) { out << "x"; });
  EXPECT_EQ(error_of(path("a/b")), ENOTDIR);
  EXPECT_THAT([&] { check_writable(path("missing/a")); },
              testing::ThrowsMessage<WriteError>(path("missing/a") + ": cannot write: No such file or directory"));
}

TEST_F(OutputFile, CheckingCreatesNothing) {
  check_writable(path("a"));
  check_writable("-");
  EXPECT_EQ(file_count(), 0);
}

}  // namespace
}  // namespace trainsim
