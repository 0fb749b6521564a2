# The libraries that Treaty's library stands on, looked for in one place: by the build, and by TreatyConfig.cmake for a program
# that uses the installed library. What was not found is listed in TREATY_MISSING; the includer decides what that means.
#
# Libraries of Debian packages without a CMake package of their own are linked by name (-lz3).
set(TREATY_MISSING "")
foreach(package fmt absl pugixml Threads OpenSSL)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND TREATY_MISSING ${package})
  endif()
endforeach()
foreach(library z3 re2 yaml-cpp protobuf sqlite3 simdjson pcap gmp gmpxx)
  find_library(TREATY_LIBRARY_${library} ${library})
  mark_as_advanced(TREATY_LIBRARY_${library})
  if(NOT TREATY_LIBRARY_${library})
    list(APPEND TREATY_MISSING ${library})
  endif()
endforeach()
