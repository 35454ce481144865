// Reading of the catalogs' own files: they are part of the program, so a fault in one is thrown with all its places
// (and tests read them all).
#pragma once

#include <string>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/reader.hpp"

namespace trainsim {

// What `read(root, context)` makes of the file. Throws InputError when it reported anything.
template <class Read>
auto read_embedded(const EmbeddedFile& file, Read read) {
  const Document document = parse_document(file.content, std::string(file.path));
  Diagnostics diagnostics;
  ReadContext context{document.file, diagnostics};
  auto result = read(document.root, context);
  diagnostics.throw_if_any();
  return result;
}

}  // namespace trainsim
