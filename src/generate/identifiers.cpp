#include "generate/identifiers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace treaty::generate {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
char to_upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char to_lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr auto cpp_words = std::to_array<std::string_view>({"alignas",
                                                            "alignof",
                                                            "and",
                                                            "and_eq",
                                                            "asm",
                                                            "assert",
                                                            "auto",
                                                            "bitand",
                                                            "bitor",
                                                            "bool",
                                                            "break",
                                                            "case",
                                                            "catch",
                                                            "char",
                                                            "char16_t",
                                                            "char32_t",
                                                            "char8_t",
                                                            "class",
                                                            "co_await",
                                                            "co_return",
                                                            "co_yield",
                                                            "compl",
                                                            "concept",
                                                            "const",
                                                            "const_cast",
                                                            "consteval",
                                                            "constexpr",
                                                            "constinit",
                                                            "continue",
                                                            "decltype",
                                                            "default",
                                                            "delete",
                                                            "do",
                                                            "double",
                                                            "dynamic_cast",
                                                            "else",
                                                            "enum",
                                                            "errno",
                                                            "explicit",
                                                            "export",
                                                            "extern",
                                                            "false",
                                                            "float",
                                                            "for",
                                                            "friend",
                                                            "goto",
                                                            "if",
                                                            "inline",
                                                            "int",
                                                            "long",
                                                            "mutable",
                                                            "namespace",
                                                            "new",
                                                            "noexcept",
                                                            "not",
                                                            "not_eq",
                                                            "nullptr",
                                                            "operator",
                                                            "or",
                                                            "or_eq",
                                                            "private",
                                                            "protected",
                                                            "public",
                                                            "register",
                                                            "reinterpret_cast",
                                                            "requires",
                                                            "return",
                                                            "short",
                                                            "signed",
                                                            "sizeof",
                                                            "static",
                                                            "static_assert",
                                                            "static_cast",
                                                            "std",
                                                            "stderr",
                                                            "stdin",
                                                            "stdout",
                                                            "struct",
                                                            "switch",
                                                            "template",
                                                            "this",
                                                            "thread_local",
                                                            "throw",
                                                            "treaty",
                                                            "true",
                                                            "try",
                                                            "typedef",
                                                            "typeid",
                                                            "typename",
                                                            "union",
                                                            "unsigned",
                                                            "using",
                                                            "virtual",
                                                            "void",
                                                            "volatile",
                                                            "wchar_t",
                                                            "while",
                                                            "xor",
                                                            "xor_eq"});

constexpr auto python_words = std::to_array<std::string_view>(
    {"False",  "None",    "True",   "and",      "as",    "assert",    "async",  "await", "bool",   "break",
     "bytes",  "case",    "class",  "continue", "def",   "del",       "dict",   "elif",  "else",   "except",
     "fault",  "finally", "float",  "for",      "from",  "frozenset", "global", "if",    "import", "in",
     "int",    "is",      "lambda", "list",     "match", "nonlocal",  "not",    "or",    "pass",   "raise",
     "return", "rt",      "self",   "set",      "str",   "try",       "type",   "while", "with",   "yield"});

constexpr auto typescript_words = std::to_array<std::string_view>(
    {"any",       "arguments", "as",         "async",     "await",       "bigint",   "boolean",  "break",
     "case",      "catch",     "class",      "const",     "constructor", "continue", "debugger", "declare",
     "default",   "delete",    "do",         "else",      "enum",        "eval",     "export",   "extends",
     "false",     "finally",   "for",        "from",      "function",    "get",      "if",       "implements",
     "import",    "in",        "instanceof", "interface", "kind",        "let",      "module",   "namespace",
     "never",     "new",       "null",       "number",    "object",      "of",       "package",  "private",
     "protected", "public",    "return",     "rt",        "set",         "static",   "string",   "super",
     "switch",    "symbol",    "this",       "throw",     "true",        "try",      "type",     "typeof",
     "undefined", "unknown",   "var",        "void",      "while",       "with",     "yield"});

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view name) {
    return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_word(std::string_view name, Language language) {
    switch (language) {
        case Language::cpp: return among(cpp_words, name);
        case Language::python: return among(python_words, name);
        case Language::typescript: return among(typescript_words, name);
    }
    return false;
}

}  // namespace

std::string_view to_string(Language language) {
    switch (language) {
        case Language::cpp: return "c++";
        case Language::python: return "python";
        case Language::typescript: return "typescript";
    }
    return "";
}

std::string identifier(std::string_view name) {
    std::string result;
    for (char c : name) {
        bool reserved = c == '_' && result.ends_with('_');  // two in a row, in C++
        if ((is_letter(c) || is_digit(c) || c == '_') && !reserved)
            result += c;
        else
            result += fmt::format("x{:02x}", static_cast<unsigned char>(c));
    }
    if (result.empty() || is_digit(result.front())) result.insert(0, "n");
    if (result.front() == '_') result.insert(0, "n");
    return result;
}

std::string identifier(std::string_view name, Language language) {
    std::string result = identifier(name);
    if (is_word(result, language)) result += '_';
    return result;
}

std::string camel_case(std::string_view name) {
    std::string result;
    bool begins = true;
    for (char c : identifier(name)) {
        if (c != '_') result += begins ? to_upper(c) : c;
        begins = c == '_';
    }
    return result.empty() ? "N" : result;
}

std::string snake_case(std::string_view name) {
    std::string result;
    char before = '_';
    for (char c : identifier(name)) {
        if (is_upper(c) && before != '_' && !is_upper(before)) result += '_';
        result += to_lower(c);
        before = c;
    }
    return result;
}

const std::string& Scope::name(Key key, std::string_view name) {
    auto [entry, added] = names_.try_emplace(key);
    if (!added) return entry->second;
    std::string wanted = identifier(name, language_);
    entry->second = wanted;
    for (int n = 2; used_.contains(entry->second); ++n) entry->second = wanted + std::to_string(n);
    used_.insert(entry->second);
    return entry->second;
}

}  // namespace treaty::generate
