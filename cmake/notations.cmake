# The folders of src/formats that are notations (src/formats/notation.h): each has a notation.cpp. Their list is a part of the
# program, and is only written if it changes.
file(GLOB notation_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/formats ${PROJECT_SOURCE_DIR}/src/formats/*/notation.cpp)
set(folders "")
foreach(file ${notation_files})
  get_filename_component(folder ${file} DIRECTORY)
  string(APPEND folders "TREATY_NOTATION_FOLDER(${folder})\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/formats/notation_folders.inc CONTENT "${folders}" @ONLY)
