#include "base/hex.h"

namespace treaty::base {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void append_hex(std::string& out, std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    for (char c : bytes) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
}

std::string to_hex(std::string_view bytes) {
    std::string out;
    out.reserve(2 * bytes.size());
    append_hex(out, bytes);
    return out;
}

bool from_hex(std::string_view digits, std::string& bytes) {
    bytes.clear();
    if (digits.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0) return false;
        bytes += static_cast<char>(high * 16 + low);
    }
    return true;
}

std::optional<std::string> from_hex(std::string_view digits) {
    std::string bytes;
    if (!from_hex(digits, bytes)) return std::nullopt;
    return bytes;
}

}  // namespace treaty::base
