#include "roles/near_value.h"

#include <bit>
#include <string>

namespace treaty::roles {
namespace {

using solve::Choices;

constexpr std::size_t longest = 1024;

std::string with_other_case(std::string text, Choices& choices) {
    auto flip = [](char& c) {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) c = static_cast<char>(c ^ 0x20);
    };
    if (!text.empty() && choices.flag(30)) {
        flip(text[static_cast<std::size_t>(choices.draw(text.size()))]);
    } else {
        for (char& c : text) flip(c);
    }
    return text;
}

// Over and over, up to this length.
std::string stretched(const std::string& text, std::size_t size) {
    std::string out;
    std::string piece = text.empty() ? "a" : text;
    while (out.size() < size) out += piece.substr(0, size - out.size());
    return out;
}

std::string near_text(const std::string& drawn, const std::string* former, Choices& choices) {
    std::uint64_t kind = choices.draw(former ? 5 : 1);
    if (kind == 4) return *former;
    if (kind == 1) return with_other_case(*former, choices);
    if (kind == 2) {
        // Together with the former one a power of two.
        std::size_t whole = std::bit_ceil(former->size() + 1) << choices.draw(5);
        return stretched(drawn, std::min(whole, longest) - std::min(former->size(), longest - 1));
    }
    if (kind == 3)
        return choices.flag(50) || former->empty() ? *former + (drawn.empty() ? 'a' : drawn[0])
                                                   : former->substr(0, former->size() - 1);
    std::size_t power = std::size_t{1} << (3 + choices.draw(6));  // 8 to 256
    return stretched(drawn, power - 1 + static_cast<std::size_t>(choices.draw(3)));
}

// With one digit more or less, or where the number of digits changes.
std::int64_t other_digits(std::int64_t number, Choices& choices) {
    std::uint64_t kind = choices.draw(4);
    if (kind == 0) return number / 10;
    std::int64_t longer = 0;
    if (kind == 1) return __builtin_mul_overflow(number, std::int64_t{10}, &longer) ? number : longer;
    std::int64_t power = 1;
    while (power <= INT64_MAX / 10 && power <= (number < 0 ? -(number + 1) : number)) power *= 10;
    return kind == 2 ? power : power / 10 - (power > 1 ? 1 : 0);
}

std::int64_t near_number(const std::int64_t* former, Choices& choices) {
    constexpr unsigned bits[] = {7, 8, 15, 16, 31, 32, 53, 62};
    std::uint64_t kind = choices.draw(former ? 4 : 1);
    if (kind == 1)
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(*former) + choices.draw(3) - 1);
    if (kind == 3) return other_digits(*former, choices);
    auto edge = static_cast<std::uint64_t>(1) << bits[choices.draw(std::size(bits))];
    edge += choices.draw(3) - 1;
    if (choices.flag(30)) edge = 0 - edge;
    return static_cast<std::int64_t>(kind == 2 ? edge - static_cast<std::uint64_t>(*former) : edge);
}

}  // namespace

std::optional<expr::Value> near_value(const expr::Value& drawn, std::span<const expr::Value* const> former,
                                      Choices& choices) {
    const expr::Value* one =
        former.empty() ? nullptr : former[static_cast<std::size_t>(choices.draw(former.size()))];
    if (const auto* text = std::get_if<std::string>(&drawn.v))
        return expr::Value(near_text(*text, one ? &one->string() : nullptr, choices));
    if (const auto* bytes = std::get_if<expr::Bytes>(&drawn.v))
        return expr::Value(expr::Bytes{
            near_text(bytes->data, one ? &std::get<expr::Bytes>(one->v).data : nullptr, choices)});
    if (std::holds_alternative<std::int64_t>(drawn.v))
        return expr::Value(near_number(one ? &std::get<std::int64_t>(one->v) : nullptr, choices));
    return std::nullopt;
}

}  // namespace treaty::roles
