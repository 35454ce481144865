# cmake -DROOT=<project> -DSCRATCH=<folder> -P check_rules_fire.cmake: the other checks can fail. Each fault is planted
# into a copy of the project and must be reported, by file and rule; without it the copy must pass.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
foreach(top IN ITEMS simulator topologies workloads scenarios)
  file(COPY ${ROOT}/${top} DESTINATION ${SCRATCH})
endforeach()

function(run_check script result output)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${script}.cmake
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  # Messages are wrapped at word boundaries.
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Writes `content` to `path` in the copy and expects `script` to fail with `message`.
function(expect_fault script path content message)
  file(WRITE ${SCRATCH}/${path} "${content}")
  run_check(${script} status text)
  file(REMOVE ${SCRATCH}/${path})
  if(status EQUAL 0)
    message(SEND_ERROR "${script} did not notice the planted ${path}")
    return()
  endif()
  foreach(expected IN ITEMS "${path}" "${message}")
    string(FIND "${text}" "${expected}" at)
    if(at EQUAL -1)
      message(SEND_ERROR "${script} failed on ${path} without saying '${expected}':\n${text}")
    endif()
  endforeach()
endfunction()

foreach(script IN ITEMS check_sources check_catalogs)
  run_check(${script} status text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${script} fails without a planted fault:\n${text}")
  endif()
endforeach()

expect_fault(check_sources topologies/planted.cpp "#include \"simulator/cost/cost.hpp\"\n"
  "topologies may not depend on simulator/cost")
expect_fault(check_sources workloads/planted.hpp "#pragma once\n  #  include \"topologies/topology.hpp\"\n"
  "workloads may not depend on topologies")
expect_fault(check_sources simulator/engine/planted.cpp "#include \"scenarios/run/result.hpp\"\n"
  "simulator/engine may not depend on scenarios/run")
expect_fault(check_sources simulator/lowering/planted.cpp "#include \"transfer.hpp\"\n" "no path from the project's root")
expect_fault(check_sources simulator/planted.cpp "int planted();\n" "none of the folders")
expect_fault(check_sources scenarios/run/planted.cpp "#include <simgrid/s4u.hpp>\n" "which only simulator/engine may")
expect_fault(check_sources simulator/cost/planted.cpp "void f() { std::cout << 1; }\n" "prints (std::cout)")
expect_fault(check_sources simulator/cost/planted.cpp "void f() { std::printf(\"a\"); }\n" "the library returns text")
expect_fault(check_sources scenarios/run/planted.cpp "void f() { exit(1); }\n" "ends the program")
string(REPEAT "\n" 501 long_text)
expect_fault(check_sources workloads/planted.cpp "${long_text}" "has 501 lines")
expect_fault(check_sources workloads/string_utils.cpp "int planted();\n" "the empty word \"utils\"")
expect_fault(check_sources workloads/planted.hpp "class LinkManager {};\n" "the empty word \"manager\"")
expect_fault(check_sources workloads/planted.cpp "void handle_link(int);\n" "the empty verb \"handle_\"")
expect_fault(check_catalogs topologies/catalog/planted.yaml "# source: nobody\nbandwidth: 1GB/s\n" "estimated: true")
expect_fault(check_catalogs simulator/cost/catalog/planted.yaml "source:\nestimated: false\n" "estimated: true")

file(REMOVE_RECURSE ${SCRATCH})
