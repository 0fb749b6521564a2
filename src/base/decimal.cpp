#include "base/decimal.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace treaty::base {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::size_t fraction_digits = 18;
constexpr std::int64_t fraction_unit = 1'000'000'000'000'000'000;  // 10^18
constexpr std::int64_t largest_exponent = 100'000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t n = 0;
    while (at + n < text.size() && is_digit(text[at + n])) ++n;
    return n;
}

// Sign, all digits without the point, and how many of them are before it.
struct Parts {
    bool negative = false;
    std::string digits;
    std::int64_t point = 0;
    std::size_t size = 0;  // of the text; 0: not a number
};

Parts parts_of(std::string_view text) {
    Parts p;
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    p.negative = at == 1;
    std::size_t whole = digits_at(text, at);
    if (whole == 0) return {};
    p.digits = text.substr(at, whole);
    p.point = static_cast<std::int64_t>(whole);
    at += whole;
    if (at < text.size() && text[at] == '.')
        if (std::size_t n = digits_at(text, at + 1); n > 0) {
            p.digits += text.substr(at + 1, n);
            at += 1 + n;
        }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        std::size_t n = digits_at(text, at + 1 + sign);
        std::int64_t exponent = 0;
        std::string_view written = text.substr(at + 1 + sign, n);
        if (n > 0) {
            auto read = std::from_chars(written.data(), written.data() + n, exponent);
            exponent = read.ec == std::errc() ? std::min(exponent, largest_exponent) : largest_exponent;
            p.point += sign == 1 && text[at + 1] == '-' ? -exponent : exponent;
            at += 1 + sign + n;
        }
    }
    p.size = at;
    return p;
}

}  // namespace

std::size_t decimal_prefix(std::string_view text) {
    return parts_of(text).size;
}

std::optional<std::int64_t> scaled_decimal(std::string_view text, std::int64_t factor) {
    Parts p = parts_of(text);
    if (p.size == 0 || p.size != text.size()) return std::nullopt;
    auto digit = [&](std::int64_t i) {
        bool written = i >= 0 && i < static_cast<std::int64_t>(p.digits.size());
        return written ? p.digits[static_cast<std::size_t>(i)] - '0' : 0;
    };
    std::int64_t first = 0, size = static_cast<std::int64_t>(p.digits.size());
    while (first < size && digit(first) == 0) ++first;
    if (first == size) return 0;
    if (p.point - first > 20) return std::nullopt;
    Wide whole = 0;
    for (std::int64_t i = std::min(first, p.point); i < p.point; ++i) whole = whole * 10 + digit(i);
    Wide fraction = 0;
    for (std::size_t k = 0; k < fraction_digits; ++k)
        fraction = fraction * 10 + digit(p.point + static_cast<std::int64_t>(k));
    if (whole > INT64_MAX) return std::nullopt;
    Wide result = whole * factor + (fraction * factor + fraction_unit / 2) / fraction_unit;
    if (p.negative) result = -result;
    if (result > INT64_MAX || result < INT64_MIN) return std::nullopt;
    return static_cast<std::int64_t>(result);
}

}  // namespace treaty::base
