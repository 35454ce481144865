# trainsim_embed_catalog(target SYMBOL s FOLDER f): compiles all YAML files below folder `f` into `target`, so that the
# program needs no data folder at run time. Defines `trainsim::EmbeddedFolder s()`, declared where it is used. A new file
# needs no line in any list; names are listed in natural order (gpt-1t, gpt-22b, gpt-530b).
function(trainsim_embed_catalog target)
  cmake_parse_arguments(EMBED "" "SYMBOL;FOLDER" "" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${EMBED_SYMBOL}.cpp)
  set(writer ${PROJECT_SOURCE_DIR}/cmake/write_embedded_files.cmake)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${EMBED_FOLDER}/*.yaml)
  list(SORT files COMPARE NATURAL)
  list(TRANSFORM files REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/" "" OUTPUT_VARIABLE names)
  list(JOIN names "|" names)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${EMBED_SYMBOL} -DNAMES=${names}
            -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -P ${writer}
    DEPENDS ${files} ${writer}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
