# The texts of library/ as part of the program, so that `import "library/..."` and `--as NAME` work wherever it runs.

# Writes {"NAME", text} for each file; the name without its extension if so asked. A file is only written if it changes.
function(treaty_texts into name_part)
  set(texts "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    get_filename_component(name ${file} ${name_part})
    string(APPEND texts "{\"${name}\", R\"TREATY(${text})TREATY\"},\n")
  endforeach()
  set(before "")
  if(EXISTS ${into})
    file(READ ${into} before)
  endif()
  if(NOT before STREQUAL texts OR NOT EXISTS ${into})
    file(WRITE ${into} "${texts}")
  endif()
endfunction()

file(GLOB library_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/library/*.treaty)
treaty_texts(${CMAKE_BINARY_DIR}/generated/formats/library_texts.inc NAME ${library_files})
target_include_directories(treaty_formats PRIVATE ${CMAKE_BINARY_DIR}/generated)

file(GLOB mapping_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/library/*.map)
treaty_texts(${CMAKE_BINARY_DIR}/generated/watch/ready_made_mappings.inc NAME_WE ${mapping_files})
target_include_directories(treaty_watch PRIVATE ${CMAKE_BINARY_DIR}/generated)
