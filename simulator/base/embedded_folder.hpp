// The YAML files of a catalog, compiled into the program (cmake/embed_catalog.cmake), so that it needs no data folder.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trainsim {

struct EmbeddedFile {
  std::string_view path;     // relative to the folder of the code that embeds it, e.g. "catalog/nodes/hgx-h100.yaml"
  std::string_view content;  // UTF-8 YAML
};

// A view: what it shows lives as long as the program.
class EmbeddedFolder {
 public:
  constexpr EmbeddedFolder(std::span<const EmbeddedFile> files, std::string_view sha256)
      : files_(files), sha256_(sha256) {}

  // The files below `path` only ("catalog/nodes/", which must outlive the view); the fingerprint stays that of the
  // whole.
  [[nodiscard]] constexpr EmbeddedFolder below(std::string_view path) const {
    EmbeddedFolder result = *this;
    result.path_ = path;
    return result;
  }

  // The files' names without folder and `.yaml`.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const EmbeddedFile& file : files_) {
      if (file.path.starts_with(path_)) result.emplace_back(name_of(file));
    }
    return result;
  }

  // Throws std::out_of_range for a name that is not in the list.
  [[nodiscard]] const EmbeddedFile& find(std::string_view name) const {
    for (const EmbeddedFile& file : files_) {
      if (file.path.starts_with(path_) && name_of(file) == name) return file;
    }
    throw std::out_of_range("no file of " + std::string(path_) + " is called '" + std::string(name) + "'");
  }

  [[nodiscard]] constexpr std::string_view sha256() const { return sha256_; }  // of names and contents

 private:
  static std::string_view name_of(const EmbeddedFile& file) {
    const std::string_view name = file.path.substr(file.path.find_last_of('/') + 1);
    return name.substr(0, name.find_last_of('.'));
  }

  std::span<const EmbeddedFile> files_;
  std::string_view sha256_;
  std::string_view path_;
};

}  // namespace trainsim
