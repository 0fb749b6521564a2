# Puts the files of src/generate/runtime/ into the program, as texts that `treaty generate` writes beside generated code.
# They stay files of their own, so that compilers and type checkers can read them.
set(runtime_dir ${PROJECT_SOURCE_DIR}/src/generate/runtime)
set(runtime_code "#include \"generate/runtime_texts.h\"\n\nnamespace treaty::generate {\n")
foreach(runtime cpp_runtime:treaty_runtime.hpp python_runtime:treaty_runtime.py typescript_runtime:treaty_runtime.ts
                cpp_codec_runtime:treaty_codec.hpp python_codec_runtime:treaty_codec.py
                cpp_streams:treaty_streams.hpp python_streams:treaty_streams.py)
  string(REPLACE ":" ";" runtime ${runtime})
  list(GET runtime 0 name)
  list(GET runtime 1 file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${runtime_dir}/${file})
  file(READ ${runtime_dir}/${file} text)
  string(APPEND runtime_code "std::string_view ${name}() {\n    return R\"treaty_text(${text})treaty_text\";\n}\n")
endforeach()
string(APPEND runtime_code "}  // namespace treaty::generate\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/runtime_texts.cpp CONTENT "${runtime_code}" @ONLY)
target_sources(treaty_generate PRIVATE ${PROJECT_BINARY_DIR}/runtime_texts.cpp)
