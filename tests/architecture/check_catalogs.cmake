# cmake -DROOT=<project> -P check_catalogs.cmake: every catalog and preset file names where its figures come from
# (`source:`) or says that they are `estimated: true`.
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE paths RELATIVE ${ROOT}
  ${ROOT}/topologies/*.yaml ${ROOT}/workloads/*.yaml ${ROOT}/simulator/*.yaml)
set(faults "")
foreach(path IN LISTS paths)
  file(STRINGS ${ROOT}/${path} marks REGEX "^([ \t-]*|[^#]*[{,][ \t]*)(source:[ \t]*[^ \t#]|estimated:[ \t]*(true|\"))")
  if("${marks}" STREQUAL "")
    string(APPEND faults "  ${path}\n")
  endif()
endforeach()
if(paths STREQUAL "")
  message(FATAL_ERROR "no catalog file below ${ROOT}")
endif()
if(NOT faults STREQUAL "")
  message(FATAL_ERROR "neither `source:` nor `estimated: true` in:\n${faults}")
endif()
