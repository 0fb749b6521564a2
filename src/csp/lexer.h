// The words of a CSPM script.
//
// Every byte of the text belongs to a token, a comment or white space; what is neither is reported and left
// out. Cost: linear. Whether `<` opens a sequence or compares is for the parser to know.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::csp {

enum class TokenKind : std::uint8_t { name, number, symbol, keyword, text, end };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    base::Span span;
    bool starts_line = false;  // the first word of its line

    bool is(std::string_view word) const {
        return (kind == TokenKind::symbol || kind == TokenKind::keyword) && text == word;
    }
};

// The last token is of kind end.
std::vector<Token> tokens_of(const base::SourceMap& sources, base::FileId file,
                             base::Diagnostics& diagnostics);

}  // namespace treaty::csp
