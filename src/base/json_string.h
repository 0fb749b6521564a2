// Texts as JSON writes them: the one writer of JSON strings, except where a whole document is built by
// nlohmann-json (which writes the same, but for U+007F).
#pragma once

#include <string>
#include <string_view>

namespace treaty::base {

// In quotes. Control characters, U+007F among them, are escaped; everything else stays as it is, so the text
// must be UTF-8 for the result to be JSON.
void append_json_string(std::string& out, std::string_view text);

}  // namespace treaty::base
