# What is installed, in two components.
#
#   program   treaty, its manual page, completions, documents and examples; all that the Debian package has
#   library   api and everything below it, their headers, and the CMake package Treaty (docs/library.md)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS treaty RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS treaty-layout RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/treaty COMPONENT program)
install(FILES packaging/treaty.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES packaging/completions/treaty.bash RENAME treaty
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES packaging/completions/treaty.zsh RENAME _treaty
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES packaging/completions/treaty.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/treaty COMPONENT program)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/treaty COMPONENT program
        PATTERN __pycache__ EXCLUDE)

# The layers that `name` stands on, itself included.
function(treaty_layers_below name result)
  set(found)
  set(open ${name})
  while(open)
    list(POP_FRONT open layer)
    if(NOT layer IN_LIST found)
      list(APPEND found ${layer})
      get_property(used GLOBAL PROPERTY TREATY_USED_BY_${layer})
      list(APPEND open ${used})
    endif()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

add_library(treaty_treaty INTERFACE)
target_link_libraries(treaty_treaty INTERFACE treaty_api)
target_include_directories(treaty_treaty INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(treaty_treaty INTERFACE cxx_std_20)
if(TREATY_SANITIZE)
  # A program must be built with the sanitizers that its libraries have.
  target_compile_options(treaty_treaty INTERFACE ${treaty_sanitizers})
  target_link_options(treaty_treaty INTERFACE ${treaty_sanitizers})
endif()

treaty_layers_below(api library_layers)
foreach(layer treaty ${library_layers})
  set_target_properties(treaty_${layer} PROPERTIES EXPORT_NAME ${layer})
  install(TARGETS treaty_${layer} EXPORT TreatyTargets COMPONENT library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/treaty)
endforeach()
install(EXPORT TreatyTargets NAMESPACE Treaty:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Treaty COMPONENT library)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TreatyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/TreatyConfig.cmake cmake/dependencies.cmake ${CMAKE_BINARY_DIR}/TreatyConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Treaty COMPONENT library)

# The headers are those of api, and whatever they include: found when they are installed, so that the list is never out of date.
install(CODE "set(treaty_sources \"${PROJECT_SOURCE_DIR}/src\")
              set(treaty_include_dir \"${CMAKE_INSTALL_INCLUDEDIR}/treaty\")" COMPONENT library)
install(SCRIPT cmake/install_headers.cmake COMPONENT library)
