// The files of this folder's catalog, and what its readers share.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/sourced_section.hpp"

namespace trainsim {

EmbeddedFolder cost_catalog_files();

// Sources and estimates of all sections of one file.
struct FileOrigins {
  std::vector<std::string> estimated;
  std::string source;
  std::vector<WrittenFigure> written;

  void add(const SourcedSection& section) {
    for (WrittenFigure& figure : section.written()) written.push_back(std::move(figure));
    for (const std::string& key : section.estimated()) estimated.push_back(key);
    for (const std::string& one : section.sources()) {
      if (source.find(one) == std::string::npos) source += (source.empty() ? "" : "; ") + one;
    }
  }
};

}  // namespace trainsim
