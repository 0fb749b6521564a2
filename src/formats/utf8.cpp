#include "formats/utf8.h"

namespace treaty::formats {

std::size_t code_point_length(std::string_view text) {
    if (text.empty()) return 0;
    auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    auto tail = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
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
        std::size_t length = code_point_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace treaty::formats
