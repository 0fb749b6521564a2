// Bytes as people write them in hexadecimal: digits in any grouping, and dumps with offsets.
//
// Read are pairs of digits with blanks, commas, colons, line breaks and 0x between them, and dumps as xxd and
// hexdump -C write them: an offset, the bytes, and their text, which is ignored. Each offset must be the one
// that the bytes before it lead to, so a dump with a line missing is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace treaty::base {

// A fault names the line and what is wrong there.
Result<std::string> bytes_of_hex_text(std::string_view text);

// Lines of 16 bytes, each with `indent` before it: offset, bytes, text. Such lines can be read again.
std::string hex_dump(std::string_view bytes, std::string_view indent = "");

}  // namespace treaty::base
