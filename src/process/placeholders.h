// Placeholders in commands and in the addresses of what they start.
//
// {port} is a free port, {port:NAME} another one for each name, {tmp} a folder of the session's own,
// {env:NAME} a variable of the environment. The caller gives the values of all but the last.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace treaty::process {

// Replaces {name} by its value and {env:NAME} by that variable; an unknown name stays as it is.
std::string expand(std::string_view text, const std::map<std::string, std::string>& values);

// The names `port:NAME` in braces that the text has.
std::vector<std::string> names_of_ports(std::string_view text);

}  // namespace treaty::process
