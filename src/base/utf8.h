// UTF-8: whether bytes are, decoding that cannot fail, text from outside made safe to show, and the columns
// it takes.
//
// Malformed bytes decode to U+FFFD one by one. Control characters, bidirectional overrides and other
// invisible characters that could make a terminal or a reader see something else are shown as U+FFFD too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace treaty::base {

// The length of the well-formed code point at the start of the text (no surrogates, no overlong forms); 0 if
// there is none.
std::size_t code_point_length(std::string_view text);

bool is_utf8(std::string_view text);

// Whether it continues a code point that began before it.
constexpr bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 0;  // at least 1
};

// The first code point of a text that is not empty.
CodePoint decode(std::string_view text);

void append_utf8(std::string& out, char32_t value);

// What is shown for it: itself, or U+FFFD.
char32_t shown(char32_t value);

// Columns of a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks, else 1.
std::size_t columns(char32_t value);
std::size_t columns(std::string_view text);

// The text with unsafe characters replaced; line breaks are kept if asked.
std::string printable(std::string_view text, bool keep_lines = false);

// The text, if it takes at most `limit` columns, else its beginning and "...".
std::string shorten(std::string_view text, std::size_t limit);

}  // namespace treaty::base
