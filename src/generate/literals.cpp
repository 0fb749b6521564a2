#include "generate/literals.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/utf8.h"

namespace treaty::generate {
namespace {

unsigned code(char c) {
    return static_cast<unsigned char>(c);
}

// Escapes that are the same in all three languages; empty for a character that needs none.
std::string_view short_escape(char c) {
    switch (c) {
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\t': return "\\t";
        case '"': return "\\\"";
        case '\\': return "\\\\";
        default: return "";
    }
}

std::string cpp_text(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        if (std::string_view escape = short_escape(c); !escape.empty())
            result += escape;
        else if (code(c) < 0x20 || code(c) >= 0x7f)
            result += fmt::format("\\{:03o}", code(c));
        else
            result += c;
    }
    return result + '"';
}

std::string escaped_text(std::string_view text, bool surrogates) {
    std::string result = "\"";
    for (char c : text) {
        if (std::string_view escape = short_escape(c); !escape.empty())
            result += escape;
        else if (code(c) < 0x20 || code(c) == 0x7f)
            result += fmt::format("\\x{:02x}", code(c));
        else if (surrogates && code(c) >= 0x80)
            result += fmt::format("\\udc{:02x}", code(c));
        else
            result += c;
    }
    return result + '"';
}

}  // namespace

std::optional<std::string> text_literal(std::string_view text, Language language) {
    if (language == Language::cpp) return cpp_text(text);
    bool utf8 = base::is_utf8(text);
    if (language == Language::typescript && !utf8) return std::nullopt;
    return escaped_text(text, !utf8);
}

std::string bytes_literal(std::string_view bytes, Language language) {
    if (language == Language::cpp)
        return fmt::format("treaty::Bytes{{std::string({}, {})}}", cpp_text(bytes), bytes.size());
    std::string items;
    for (char c : bytes) {
        if (language == Language::python)
            items += fmt::format("\\x{:02x}", code(c));
        else
            items += fmt::format("{}{}", items.empty() ? "" : ", ", code(c));
    }
    return language == Language::python ? fmt::format("b\"{}\"", items)
                                        : fmt::format("new Uint8Array([{}])", items);
}

std::string integer_literal(std::int64_t number, Language language) {
    if (language == Language::typescript) return fmt::format("{}n", number);
    if (language == Language::cpp && number == std::numeric_limits<std::int64_t>::min())
        return "std::numeric_limits<std::int64_t>::min()";
    return fmt::format("{}", number);
}

std::string real_literal(double number) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

}  // namespace treaty::generate
