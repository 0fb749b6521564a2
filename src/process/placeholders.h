// Placeholders in commands and in the addresses of what they start.
//
// {port} is a free port, {tmp} a folder of the session's own, {env:NAME} a variable of the environment. The
// caller gives the values of all but the last.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace treaty::process {

// Replaces {name} by its value and {env:NAME} by that variable; an unknown name stays as it is.
std::string expand(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace treaty::process
