// Bytes as hexadecimal digits and back: two digits per byte, written in lower case, read in either.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace treaty::base {

// The value of a hexadecimal digit; -1 for anything else.
int hex_digit(char c);

std::string to_hex(std::string_view bytes);
void append_hex(std::string& out, std::string_view bytes);

// Nothing if the digits are not pairs of hexadecimal digits.
std::optional<std::string> from_hex(std::string_view digits);
// The same into a buffer that is used again; false leaves it in some state.
bool from_hex(std::string_view digits, std::string& bytes);

}  // namespace treaty::base
