# Several sources of a layer compiled as one unit (TREATY_UNITY): most of the time of a small
# source goes into headers that its neighbours read too. scripts/unity_groups.py finds out which sources go together.
# Without units, a changed source is compiled alone.
#
# A unit names its sources by their paths below src/. CMake's own units have absolute paths, with which the compiler cache never
# serves another clone.
option(TREATY_UNITY "compile several sources of a layer as one unit" OFF)

function(treaty_unity target)
  if(NOT TREATY_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/unity_groups.py ${sources}
                  OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set(units)
  foreach(group ${groups})
    separate_arguments(group)
    set(text)
    foreach(source ${group})
      file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR}/src ${source})
      string(APPEND text "#include \"${source}\"\n")
    endforeach()
    list(LENGTH units number)
    set(unit ${CMAKE_BINARY_DIR}/units/${target}/unit_${number}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    list(APPEND units ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${units}")
  # A private name that is new may need other groups.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/scripts/unity_groups.py)
endfunction()
