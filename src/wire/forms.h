// Forms of layouts that the members of wire.h hold between them: how each is held, and asked for.
//
// A part is a block without a length, whose bytes have its variable's name. A check is a conditional without
// a condition and without inner items: its value must hold. A repeat with a condition is a tree: the
// condition is a number, how many rounds each round adds. The transform of a byte string or a line is named
// by its pattern. The escapes of lines stand in the selector, which only json uses otherwise.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "wire/wire.h"

namespace treaty::wire {

constexpr std::uint32_t no_length = 0xffffffffu;

inline bool is_part(const Item& i) {
    return i.kind == ItemKind::block && i.width == no_length;
}
inline bool is_check(const Item& i) {
    return i.kind == ItemKind::conditional && !i.condition && i.value;
}
inline expr::ExprId more_of(const Item& i) {
    return i.kind == ItemKind::repeat ? i.condition : expr::ExprId();
}

// How the bytes of a field differ from its value, apart from a key.
enum class Transform : std::uint8_t {
    none,
    base64,    // RFC 4648, with padding
    hex,       // two digits a byte, small letters
    reversed,  // the last byte first
};
constexpr std::array<std::string_view, 4> transform_names{"", "base64", "hex", "reversed"};

inline Transform transform_of(const Item& i) {
    if (i.kind != ItemKind::byte_string && i.kind != ItemKind::line) return Transform::none;
    for (std::size_t k = 1; k < transform_names.size(); ++k)
        if (i.regex.pattern == transform_names[k]) return static_cast<Transform>(k);
    return Transform::none;
}

// A text that stands as another one in a line: the line's end, for example, where a field holds it. Lines of
// layouts that consist of literals only are written as they are: they mark what no text can be taken for.
struct Escape {
    std::string text;
    std::string written;
    bool at_start = false;  // only at the start of a line
};

std::vector<Escape> escapes_of(const Wire& wire);
void set_escapes(Wire& wire, const std::vector<Escape>& escapes);

}  // namespace treaty::wire
