// Percent-encoding, the escapes of URLs: %20 is a blank.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace treaty::base {

// What RFC 3986 never escapes, apart from letters and digits.
inline constexpr std::string_view unreserved = "-._~";

// Appends the text with everything but letters, digits and `plain` as %HH.
void append_percent(std::string& out, std::string_view text, std::string_view plain = unreserved);

// Nothing if a % is not followed by two hexadecimal digits.
std::optional<std::string> from_percent(std::string_view text);

}  // namespace treaty::base
