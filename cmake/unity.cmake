# Several sources of a layer compiled as one unit (TREATY_UNITY): most of the time of a small
# source goes into headers that its neighbours read too. scripts/unity_groups.py finds out which sources go together.
# Without units, a changed source is compiled alone.
option(TREATY_UNITY "compile several sources of a layer as one unit" OFF)

function(treaty_unity target)
  if(NOT TREATY_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/unity_groups.py ${sources}
                  OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set(number 0)
  foreach(group ${groups})
    separate_arguments(group)
    math(EXPR number "${number} + 1")
    set_source_files_properties(${group} PROPERTIES UNITY_GROUP ${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A private name that is new may need other groups.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/scripts/unity_groups.py)
endfunction()
