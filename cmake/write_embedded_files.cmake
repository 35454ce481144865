# Writes a C++ file that holds the named files as string literals. Run by trainsim_embed_catalog.
# A literal is cut into pieces because compilers limit the length of one.
string(REPLACE "|" ";" files "${NAMES}")
set(entries "")
set(hashes "")
foreach(name IN LISTS files)
  file(READ ${ROOT}/${name} content)
  file(SHA256 ${ROOT}/${name} hash)
  string(APPEND hashes "${name} ${hash}\n")
  string(LENGTH "${content}" length)
  set(pieces "")
  set(start 0)
  while(start LESS length)
    string(SUBSTRING "${content}" ${start} 4000 piece)
    string(APPEND pieces "R\"~~~(${piece})~~~\"\n")
    math(EXPR start "${start} + 4000")
  endwhile()
  if(pieces STREQUAL "")
    set(pieces "\"\"")
  endif()
  string(APPEND entries "    {\"${name}\",\n${pieces}},\n")
endforeach()
string(SHA256 total "${hashes}")
file(WRITE ${OUTPUT} "// Generated from the catalog's YAML files; do not edit.
#include \"simulator/base/embedded_folder.hpp\"
namespace trainsim {
EmbeddedFolder ${SYMBOL}();
EmbeddedFolder ${SYMBOL}() {
  static constexpr EmbeddedFile files[] = {
${entries}  };
  return {files, \"${total}\"};
}
}  // namespace trainsim
")
