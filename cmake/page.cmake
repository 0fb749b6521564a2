# The page of the workbench (web/) as part of the program: built by esbuild, which npm installs. Without npm, or where its packages
# cannot be installed, the program is built without the page, and `treaty serve` says so.
set(page_files ${CMAKE_BINARY_DIR}/generated/workbench/page_files.inc)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
add_custom_command(
  OUTPUT ${page_files}
  COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/build_page.py --embed ${page_files}
  DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/web/build.mjs ${PROJECT_SOURCE_DIR}/web/package-lock.json
          ${PROJECT_SOURCE_DIR}/scripts/build_page.py
  COMMENT "Building the page of the workbench"
  VERBATIM)
add_custom_target(treaty_page DEPENDS ${page_files})
add_dependencies(treaty_workbench treaty_page)
target_include_directories(treaty_workbench PRIVATE ${CMAKE_BINARY_DIR}/generated)
