// The tokens of a .gc text.
//
// A name is a run of any characters except white space and @ . , ; : ( ) [ ] { } | + - * / ^ ! ? % so that
// `A=>B` is one name; `=>`, `=`, `&` and the keywords are tokens only if blanks surround them. Comments
// (`..` and `//` to the end of the line, `[[ ]]`) and stray characters are passed over, the latter and an
// unterminated comment with a diagnostic. The last token is always `end`. Cost: linear, 20 bytes a token.
//
// .sgg, the older notation of the same things: `[ ... ]` is a comment, parentheses group, commas separate.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats::gc {

enum class Dialect : std::uint8_t { gc, sgg };

enum class Token : std::uint8_t {
    end,
    name,
    text,  // text: "..." after a percent sign
    arrow,
    multi_arrow,
    equals,
    ampersand,
    colon,
    semicolon,
    plus,
    bar,
    star,
    at,
    percent,
    left_brace,
    right_brace,
    left_bracket,
    right_bracket,
    left_paren,   // .sgg
    right_paren,  // .sgg
    comma,        // .sgg
    empty,
    qos,
    kw_let,
    kw_in,
    kw_sel,
    kw_branch,
    kw_repeat,
    kw_do,
    kw_with,
    kw_unless,
};

struct Lexeme {
    Token kind = Token::end;
    base::Span span;
    std::string_view text;  // into the source
};

std::vector<Lexeme> scan(const base::SourceMap& sources, base::FileId file, Dialect dialect,
                         base::Diagnostics& diagnostics);

bool name_character(char c);
bool keyword(std::string_view name);    // also `=`, `&` and `=>`: tokens of their own
bool role_name(std::string_view name);  // begins with a letter

// What a message calls the token: "`;`", "the name `x`", "the end of the file".
std::string describe(const Lexeme& lexeme);
std::string_view describe(Token kind);

}  // namespace treaty::formats::gc
