# One static library per folder: trainsim_library(topologies SOURCES a.cpp HEADERS a.hpp PUBLIC … PRIVATE …).
# Include paths start at the project root, so each include line names the folder it reaches into.
add_library(trainsim_warnings INTERFACE)
target_compile_options(trainsim_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough)

function(trainsim_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(trainsim_${name} STATIC ${LIB_SOURCES})
  add_library(trainsim::${name} ALIAS trainsim_${name})
  target_sources(trainsim_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${LIB_HEADERS})
  target_link_libraries(trainsim_${name}
    PUBLIC ${LIB_PUBLIC}
    PRIVATE ${LIB_PRIVATE} $<BUILD_INTERFACE:trainsim_warnings>)
endfunction()

# trainsim_test(input LABEL unit SOURCES a_test.cpp LIBRARIES …): a GoogleTest program, one ctest per TEST,
# because SimGrid allows one simulation per process.
function(trainsim_test name)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  add_executable(test_${name} ${TEST_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${TEST_LIBRARIES} GTest::gmock_main trainsim_warnings)
  target_compile_definitions(test_${name} PRIVATE TRAINSIM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${name}." PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT})
endfunction()
