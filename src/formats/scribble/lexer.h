// Tokens of Scribble and nuScr.
//
// A word is any row of letters, digits, underscores and (nuScr) primes: Scribble's names may begin with a
// digit, so a number is a word whose characters are all digits. No word is reserved here; the parser knows
// from the place what a word means. Comments are // and /* */, and nuScr's (*) to the end of the line and (*
// *), which nest; a pragma (*# ... #*) is passed over like a comment. Linear; never fails: what is not a
// token is reported and passed over.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "base/names.h"
#include "base/source.h"

namespace treaty::formats::scribble {

enum class TokenKind : std::uint8_t {
    end_of_file,
    word,
    string,
    left_brace,
    right_brace,
    left_paren,
    right_paren,
    left_bracket,
    right_bracket,
    comma,
    colon,
    semicolon,
    dot,
    at,
    less,
    greater,
    less_equal,
    greater_equal,
    equal,
    not_equal,
    both,
    either,
    bang,
    plus,
    minus,
    star,
    other,
};

struct Token {
    TokenKind kind = TokenKind::end_of_file;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    base::NameId name;  // of words
};

// Ends with one end_of_file.
std::vector<Token> lex(const base::SourceMap& sources, base::FileId file, base::Names& names,
                       base::Diagnostics& diagnostics);

}  // namespace treaty::formats::scribble
