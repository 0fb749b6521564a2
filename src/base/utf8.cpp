#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace treaty::base {
namespace {

constexpr char32_t replacement = 0xfffd;

struct Range {
    char32_t low, high;
};

// The blocks that people meet; exact tables grow with every version of Unicode.
constexpr std::array wide = {Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},
                             Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},
                             Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
                             Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
                             Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
constexpr std::array combining = {Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd},
                                  Range{0x064b, 0x065f}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff},
                                  Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}};

template <std::size_t n>
bool in(const std::array<Range, n>& ranges, char32_t value) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](Range r) { return r.low <= value && value <= r.high; });
}

}  // namespace

std::size_t code_point_length(std::string_view text) {
    if (text.empty()) return 0;
    auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    auto tail = [&](std::size_t i) { return i < text.size() && is_continuation(text[i]); };
    unsigned a = byte(0), b = byte(1);
    if (a < 0x80) return 1;
    if (a >= 0xc2 && a <= 0xdf) return tail(1) ? 2 : 0;
    if (a >= 0xe0 && a <= 0xef) {
        bool low = a == 0xe0 && b < 0xa0, surrogate = a == 0xed && b > 0x9f;
        return tail(1) && tail(2) && !low && !surrogate ? 3 : 0;
    }
    if (a >= 0xf0 && a <= 0xf4) {
        bool low = a == 0xf0 && b < 0x90, high = a == 0xf4 && b > 0x8f;
        return tail(1) && tail(2) && tail(3) && !low && !high ? 4 : 0;
    }
    return 0;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        if (static_cast<unsigned char>(text[0]) < 0x80) {
            text.remove_prefix(1);
            continue;
        }
        std::size_t length = code_point_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

CodePoint decode(std::string_view text) {
    std::size_t length = code_point_length(text);
    if (length == 0) return {replacement, 1};
    auto first = static_cast<unsigned char>(text[0]);
    if (length == 1) return {first, 1};
    char32_t value = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
        value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    return {value, length};
}

void append_utf8(std::string& out, char32_t value) {
    auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (value < 0x80) {
        put(value);
    } else if (value < 0x800) {
        put(0xc0 | value >> 6);
        put(0x80 | (value & 0x3f));
    } else if (value < 0x10000) {
        put(0xe0 | value >> 12);
        put(0x80 | (value >> 6 & 0x3f));
        put(0x80 | (value & 0x3f));
    } else {
        put(0xf0 | value >> 18);
        put(0x80 | (value >> 12 & 0x3f));
        put(0x80 | (value >> 6 & 0x3f));
        put(0x80 | (value & 0x3f));
    }
}

char32_t shown(char32_t value) {
    bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
    bool invisible = (value >= 0x200b && value <= 0x200f) || (value >= 0x2028 && value <= 0x202e) ||
                     (value >= 0x2060 && value <= 0x206f) || value == 0xfeff || value == 0xfffe ||
                     value == 0xffff;
    return control || invisible ? replacement : value;
}

std::size_t columns(char32_t value) {
    if (value < 0x300) return 1;
    if (in(combining, value)) return 0;
    return in(wide, value) ? 2 : 1;
}

std::size_t columns(std::string_view text) {
    std::size_t total = 0;
    while (!text.empty()) {
        CodePoint point = decode(text);
        total += columns(shown(point.value));
        text.remove_prefix(point.bytes);
    }
    return total;
}

std::string printable(std::string_view text, bool keep_lines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        CodePoint point = decode(text);
        bool kept = keep_lines && point.value == '\n';
        append_utf8(out, kept ? point.value : shown(point.value));
        text.remove_prefix(point.bytes);
    }
    return out;
}

std::string shorten(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return printable(text);
    std::string out;
    std::string at_limit;  // the longest beginning that leaves room for the dots
    std::size_t used = 0;
    while (!text.empty()) {
        CodePoint point = decode(text);
        char32_t value = shown(point.value);
        if (used + columns(value) > limit) return at_limit + "...";
        used += columns(value);
        append_utf8(out, value);
        if (used + 3 <= limit) at_limit = out;
        text.remove_prefix(point.bytes);
    }
    return out;
}

}  // namespace treaty::base
