// Whether bytes are UTF-8: names in other people's files need not be.
#pragma once

#include <cstddef>
#include <string_view>

namespace treaty::formats {

// The length of the well-formed code point at the start of the text (no surrogates, no overlong forms); 0 if
// there is none.
std::size_t code_point_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace treaty::formats
