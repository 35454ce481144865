# trainsim_embed_catalog(target NAME SYMBOL FILES …): compiles YAML files into `target`, so that the program needs no data
# folder at run time. Defines `std::span<const trainsim::EmbeddedFile> SYMBOL()` (declared by the folder that embeds).
# Adding a file to the list is the one catalog line that a new variant needs.
function(trainsim_embed_catalog target)
  cmake_parse_arguments(EMBED "" "SYMBOL" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${EMBED_SYMBOL}.cpp)
  set(inputs)
  foreach(file IN LISTS EMBED_FILES)
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  list(JOIN EMBED_FILES "|" names)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${EMBED_SYMBOL} -DNAMES=${names}
            -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded_files.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/write_embedded_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
