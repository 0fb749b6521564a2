// The tokens of a SChorA script, and of Chor expressions.
//
// Comments are // to the end of the line and /* */. A label's text is one token; its content is lexed again,
// in place, so that faults inside it have their column. Stray characters and what is not closed are reported
// and passed over. The last token is always `end`. Cost: linear.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats::schora {

enum class Token : std::uint8_t {
    end,
    name,
    number,
    text,
    semicolon,
    comma,
    dot,
    question,
    bang,
    left,
    right,  // ( )
    open,
    close,      // [ ]
    interrupt,  // [>
    then,       // |>
    bar,
    plus,
    minus,
    star,
    slash,
    percent,
    arrow,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    conjunction,
    disjunction,  // && ||
};

struct Lexeme {
    Token token;
    base::Span span;
};

// Of the bytes [begin, end) of the file.
std::vector<Lexeme> lex(const base::SourceMap& sources, base::FileId file, std::uint32_t begin,
                        std::uint32_t end, base::Diagnostics& diagnostics);

}  // namespace treaty::formats::schora
