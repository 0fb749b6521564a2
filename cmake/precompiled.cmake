# Headers that most sources include and that take seconds to read, compiled once for the product and once for its tests.
#
# A source still includes what it uses: these headers are an addition of the build, and every header of ours is compiled
# alone after them (see layers.cmake). Abseil's hash map, fmt and the containers alone take longer than the median source.
set(treaty_precompiled_headers
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem> <functional> <map> <memory>
    <optional> <random> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <fmt/format.h>)

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp CONTENT "// Holds the precompiled headers.\n")
add_library(treaty_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
target_link_libraries(treaty_precompiled PRIVATE fmt::fmt absl::flat_hash_map absl::flat_hash_set treaty_warnings)
target_precompile_headers(treaty_precompiled PRIVATE ${treaty_precompiled_headers})

if(TREATY_TESTS)
  add_library(treaty_precompiled_tests OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
  target_link_libraries(treaty_precompiled_tests PRIVATE fmt::fmt absl::flat_hash_map absl::flat_hash_set treaty_warnings treaty_testing)
  target_precompile_headers(treaty_precompiled_tests PRIVATE ${treaty_precompiled_headers} <gtest/gtest.h> <gmock/gmock.h> <rapidcheck.h>)
endif()
