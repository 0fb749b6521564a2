// The files of runtime/, as the build has put them into the program (cmake/runtime.cmake).
#pragma once

#include <string_view>

namespace treaty::generate {

std::string_view cpp_runtime();
std::string_view python_runtime();
std::string_view typescript_runtime();

}  // namespace treaty::generate
