// Tokens of a .treaty text.
//
// A token is 16 bytes: its kind, where it is, whether it begins a line. Words are interned names; whether a
// word is a keyword depends on its kind, and where a name is wanted and nothing else is possible (after
// `message`, after the colon of an interaction) any word will do.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"
#include "base/source.h"

namespace treaty::lang {

enum class TokenKind : std::uint8_t {
    end_of_file,
    name,
    integer,
    real,
    string,
    bytes,
    regex,
    duration,
    // punctuation
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
    dot_dot,
    ellipsis,
    arrow,
    assign,
    underscore,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    plus,
    minus,
    star,
    slash,
    // keywords, in the order of the table in lexer.cpp
    kw_after,
    kw_and,
    kw_at,
    kw_choice,
    kw_const,
    kw_continue,
    kw_do,
    kw_else,
    kw_enum,
    kw_expect,
    kw_false,
    kw_forbid,
    kw_function,
    kw_if,
    kw_implies,
    kw_in,
    kw_interrupt,
    kw_let,
    kw_match,
    kw_matches,
    kw_message,
    kw_mod,
    kw_none,
    kw_not,
    kw_optional,
    kw_or,
    kw_over,
    kw_par,
    kw_permutes,
    kw_predicate,
    kw_property,
    kw_protocol,
    kw_rec,
    kw_record,
    kw_repeat,
    kw_signal,
    kw_then,
    kw_true,
    kw_try,
    kw_type,
    kw_wait,
    kw_when,
    kw_where,
    kw_while,
    kw_wire,
    kw_within,
    kw_xor,
};

constexpr bool is_keyword(TokenKind kind) {
    return kind >= TokenKind::kw_after;
}
constexpr bool is_word(TokenKind kind) {
    return kind == TokenKind::name || is_keyword(kind);
}

// Whether a declaration can begin with it.
bool begins_declaration(TokenKind kind);

// How a message names it: "`{`", "a name", "`choice`".
std::string_view describe(TokenKind kind);

struct Token {
    TokenKind kind = TokenKind::end_of_file;
    bool first_on_line = false;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    base::NameId name;  // of words
};

struct Comment {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool own_line = false;  // nothing but blanks before it on its line
};

}  // namespace treaty::lang
