// From text to tokens, one pass, linear, never fails: what is not a token is reported and passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/names.h"
#include "base/source.h"
#include "lang/token.h"

namespace treaty::lang {

struct TokenList {
    std::vector<Token> tokens;          // ends with one end_of_file
    std::vector<Comment> comments;      // in order
    std::vector<std::uint32_t> faults;  // where something was reported, ascending
    bool cut_off = false;               // a comment that is never closed hides the rest
};

TokenList lex(const base::SourceMap& sources, base::FileId file, base::Names& names,
              base::Diagnostics& diagnostics);

// The value of a string token's text (quotes included), escapes replaced. Valid only for texts that lex()
// accepted without a report; anything else gives what could be read.
std::string string_value(std::string_view token_text);
// The value of an integer token, 12 or 0x0c; nothing beyond 63 bits, or for another text.
std::optional<std::int64_t> integer_value(std::string_view token_text);
// The value of a bytes token: 0x"00ff".
std::string bytes_value(std::string_view token_text);

}  // namespace treaty::lang
