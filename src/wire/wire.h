// How each message looks as bytes: the resolved `wire` declarations of a file.
//
// One description serves both directions. A text layout is a sequence of literals, patterns and fields;
// a binary layout is a sequence of bit fields, byte fields, conditionals and repetitions whose sizes and
// values are expressions over the message's fields and the fields read before. Encoding and decoding
// engines lie elsewhere; this is only the description.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "expr/pool.h"

namespace treaty::wire {

using base::NameId;
using base::Span;
using MessageIndex = std::uint32_t;  // into the messages of the specification

enum class Framing : std::uint8_t { lines, stream, json, http, length_prefixed };

struct Regex {
    std::string pattern;  // RE2 syntax
    bool ignore_case = false;
};

enum class ItemKind : std::uint8_t {
    literal,      // exact bytes
    pattern,      // bytes that match; decoding forgets them
    field,        // text of a message field, constrained by a pattern
    bits,         // an unsigned integer of `width` bits
    byte_string,  // `size` bytes
    conditional,  // `inner` when `condition` holds
    repeat,       // `inner` as often as `size` says; without a size, to the end of the block
    decimal,      // a number in decimal digits, ended by `text`
    line,         // text up to `text`, which stands behind it
    varint,       // a number in groups of seven bits, low ones first; at most `width` bytes
    block,        // a length (`width` bits, or a varint when 0), then `inner`, which fills so many bytes
};

struct Item {
    ItemKind kind = ItemKind::literal;
    Span span;
    std::string text;            // literal; decimal, line: what ends it
    Regex regex;                 // pattern, field
    NameId name;                 // field, bits, byte_string; none for a fixed bit pattern
    expr::VarId variable;        // the value under that name
    expr::VarId collects;        // inside a repeat: the list field whose elements `variable` are
    std::uint32_t width = 0;     // bits
    bool little_endian = false;  // bits of whole bytes
    expr::ExprId value;          // bits, byte_string: computed when encoding, checked when decoding
    expr::ExprId size;           // byte_string (none: the rest of the block), repeat
    expr::ExprId condition;      // conditional
    expr::ExprId transform_key;  // byte_string: xor with this key
    std::vector<Item> inner;     // conditional, repeat, block
};

struct Layout {
    MessageIndex message = 0;
    Span span;
    std::vector<expr::VarId> fields;  // one for each field of the message
    std::vector<Item> items;
};

struct Wire {
    NameId name;
    Span span;
    Framing framing = Framing::lines;
    std::string terminator;          // lines
    std::string selector;            // json: the member that names the message
    std::uint32_t prefix_bytes = 4;  // length_prefixed
    std::vector<Layout> layouts;
};

}  // namespace treaty::wire
