# One static library per folder: trainsim_library(topologies SOURCES a.cpp HEADERS a.hpp PUBLIC … PRIVATE …).
# Include paths start at the project root, so each include line names the folder it reaches into.
add_library(trainsim_warnings INTERFACE)
target_compile_options(trainsim_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough
  # Wrong about temporaries of std::string in optimised GCC 12 builds (GCC bugs 105562, 105651).
  -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict -Wno-array-bounds)

# The heavy headers of other libraries, parsed once: they take longer than our own code. Sources still include what they
# use; build with -DTRAINSIM_PRECOMPILE=OFF to see that they do.
option(TRAINSIM_PRECOMPILE "Precompile the heavy headers of other libraries" ON)

function(trainsim_precompiled target)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp "// Only its precompiled header matters.\n")
  add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PRIVATE trainsim_warnings)
  target_precompile_headers(${target} PRIVATE ${ARGN}
    <algorithm> <array> <functional> <map> <memory> <optional> <stdexcept> <string> <string_view> <variant> <vector>
    <boost/graph/adjacency_list.hpp> <nlohmann/json.hpp>)
endfunction()

if(TRAINSIM_PRECOMPILE)
  trainsim_precompiled(trainsim_library_headers)
endif()

function(trainsim_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(trainsim_${name} STATIC ${LIB_SOURCES})
  add_library(trainsim::${name} ALIAS trainsim_${name})
  target_sources(trainsim_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${LIB_HEADERS})
  target_link_libraries(trainsim_${name}
    PUBLIC ${LIB_PUBLIC}
    PRIVATE ${LIB_PRIVATE} $<BUILD_INTERFACE:trainsim_warnings>)
  if(TRAINSIM_PRECOMPILE)
    target_precompile_headers(trainsim_${name} REUSE_FROM trainsim_library_headers)
  endif()
endfunction()

# trainsim_test(input LABEL unit SOURCES a_test.cpp LIBRARIES …): a GoogleTest program, one ctest per TEST,
# because SimGrid allows one simulation per process.
# A test's own code need not be fast; compiling it must.
set(TRAINSIM_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)

function(trainsim_test name)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  add_executable(test_${name} ${TEST_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${TEST_LIBRARIES} GTest::gmock_main trainsim_warnings)
  target_compile_definitions(test_${name} PRIVATE TRAINSIM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(test_${name} PRIVATE ${TRAINSIM_TEST_OPTIONS})
  if(TRAINSIM_PRECOMPILE)
    target_precompile_headers(test_${name} REUSE_FROM trainsim_test_headers)
  endif()
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${name}." PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT})
endfunction()
