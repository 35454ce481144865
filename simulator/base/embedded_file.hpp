// A file of the catalog, compiled into the program (cmake/embed_catalog.cmake).
#pragma once

#include <span>
#include <string_view>

namespace trainsim {

struct EmbeddedFile {
  std::string_view path;     // relative to the folder that embeds it, e.g. "catalog/nodes/hgx-h100.yaml"
  std::string_view content;  // UTF-8 YAML
};

}  // namespace trainsim
