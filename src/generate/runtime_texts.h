// The files of runtime/, as the build has put them into the program (cmake/runtime.cmake).
#pragma once

#include <string_view>

namespace treaty::generate {

std::string_view cpp_runtime();
std::string_view python_runtime();
std::string_view typescript_runtime();
// Beside them, for codecs (codec.h).
std::string_view cpp_codec_runtime();
std::string_view python_codec_runtime();
// Links to peers at streams of bytes.
std::string_view cpp_streams();
std::string_view python_streams();

}  // namespace treaty::generate
