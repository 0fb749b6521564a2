# find_package(Treaty): the questions of Treaty as a library.
#
#   find_package(Treaty REQUIRED)
#   target_link_libraries(program PRIVATE Treaty::treaty)     # then: #include <treaty/api/check.h>
#
# docs/library.md of Treaty explains it.
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
if(TREATY_MISSING)
  set(Treaty_FOUND FALSE)
  list(JOIN TREATY_MISSING ", " Treaty_NOT_FOUND_MESSAGE)
  string(PREPEND Treaty_NOT_FOUND_MESSAGE "Treaty needs libraries that were not found: ")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/TreatyTargets.cmake)
