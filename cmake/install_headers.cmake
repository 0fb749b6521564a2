# Runs when the library is installed: copies the headers with the questions of api, and those that they
# include, from ${treaty_sources} to ${treaty_include_dir} under the prefix. Test support (api/testing/) is not among them.
cmake_policy(VERSION 3.25)
file(GLOB open RELATIVE ${treaty_sources} ${treaty_sources}/api/*.h ${treaty_sources}/api/editor/*.h)
set(found)
while(open)
  list(POP_FRONT open header)
  if(NOT header IN_LIST found)
    list(APPEND found ${header})
    file(STRINGS ${treaty_sources}/${header} lines REGEX "^#include \"")
    list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND open ${lines})
  endif()
endwhile()
foreach(header ${found})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${treaty_sources}/${header} DESTINATION "${CMAKE_INSTALL_PREFIX}/${treaty_include_dir}/${folder}"
       MESSAGE_NEVER)
endforeach()
