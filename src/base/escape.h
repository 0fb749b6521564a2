// Bytes shown to people: printable ASCII as it is, \n, \r and \t by these names, any other byte as \x9f.
#pragma once

#include <string>
#include <string_view>

namespace treaty::base {

void append_escaped(std::string& out, char byte);

// All of them.
std::string escaped(std::string_view bytes);

// In quotes, with a backslash before quotes and backslashes: different bytes never look alike.
std::string quoted_bytes(std::string_view bytes);

}  // namespace treaty::base
