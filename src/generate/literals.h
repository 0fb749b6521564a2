// Texts and numbers as literals of the programming languages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "generate/identifiers.h"

namespace treaty::generate {

// With its quotes. In C++ any bytes; in Python bytes that are not UTF-8 become lone surrogates
// (surrogateescape); nothing in TypeScript if the text is not UTF-8.
std::optional<std::string> text_literal(std::string_view text, Language language);
std::string bytes_literal(std::string_view bytes, Language language);
std::string integer_literal(std::int64_t number, Language language);
std::string real_literal(double number);

}  // namespace treaty::generate
