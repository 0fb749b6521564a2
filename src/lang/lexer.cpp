#include "lang/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "lang/codes.h"

namespace treaty::lang {
namespace {

using base::Span;

constexpr std::array keywords = {
    "after",     "and",    "at",     "choice",  "const",    "continue",  "do",       "else",
    "enum",      "expect", "false",  "forbid",  "function", "if",        "implies",  "in",
    "interrupt", "let",    "match",  "matches", "message",  "mod",       "none",     "not",
    "optional",  "or",     "over",   "par",     "permutes", "predicate", "property", "protocol",
    "rec",       "record", "repeat", "signal",  "then",     "true",      "try",      "type",
    "wait",      "when",   "where",  "while",   "wire",     "within",    "xor"};
static_assert(keywords.size() == static_cast<std::size_t>(TokenKind::kw_xor) -
                                     static_cast<std::size_t>(TokenKind::kw_after) + 1);

bool is_name_start(unsigned char c) {
    return std::isalpha(c) || c == '_' || c >= 0x80;
}
bool is_name_part(unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '\'' || c >= 0x80;
}

bool is_hex(unsigned char c) {
    return base::hex_digit(static_cast<char>(c)) >= 0;
}

// Blanks, quotes, dashes, arrows and signs beyond ASCII: they come from word processors and are never part of
// a name.
bool is_foreign_sign(char32_t c) {
    auto within = [c](char32_t low, char32_t high) { return low <= c && c <= high; };
    bool latin = within(0x80, 0xbf) && c != 0xaa && c != 0xba;  // those two are letters
    bool punctuation = within(0x2000, 0x207f);
    bool arrow_or_operator = within(0x2180, 0x22ff);
    bool wide_blank = within(0x3000, 0x3003);
    bool byte_order_mark = c == 0xfeff;
    return latin || punctuation || arrow_or_operator || wide_blank || byte_order_mark;
}

class Lexer {
public:
    Lexer(std::string_view text, base::FileId file, base::Names& names, base::Diagnostics& diagnostics)
        : text_(text), file_(file), names_(names), diagnostics_(diagnostics) {
        for (std::size_t i = 0; i < keywords.size(); ++i)
            keyword_ids_.emplace(keywords[i],
                                 static_cast<TokenKind>(static_cast<std::size_t>(TokenKind::kw_after) + i));
    }

    TokenList run() {
        out_.tokens.reserve(text_.size() / 5 + 1);
        if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
        while (skip_blanks(), at_ < text_.size()) next();
        push(TokenKind::end_of_file, text_.size(), text_.size());
        return std::move(out_);
    }

private:
    unsigned char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : 0;
    }

    Span span(std::size_t begin, std::size_t end) const {
        return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }

    Token& push(TokenKind kind, std::size_t begin, std::size_t end) {
        Token token;
        token.kind = kind;
        token.first_on_line = line_start_;
        token.begin = static_cast<std::uint32_t>(begin);
        token.end = static_cast<std::uint32_t>(end);
        line_start_ = false;
        out_.tokens.push_back(token);
        return out_.tokens.back();
    }

    base::Diagnostic& fault(const base::Code& code, Span at, std::string message) {
        out_.faults.push_back(at.begin);
        return diagnostics_.report(code, at, std::move(message));
    }

    // A file in another encoding is one fault, however many letters it concerns.
    void not_utf8() {
        if (!utf8_) return;
        utf8_ = false;
        fault(codes::not_utf8, span(at_, at_ + 1), "this is not valid UTF-8 text")
            .help("save the file in UTF-8, or write the byte as \\xHH in a string");
    }

    void skip_blanks() {
        for (; at_ < text_.size(); ++at_) {
            char c = text_[at_];
            if (c == '\n') {
                line_start_ = own_line_ = true;
                stray_on_line_ = false;
            } else if (c == '/' && peek(1) == '/')
                line_comment();
            else if (c == '/' && peek(1) == '*')
                block_comment();
            else if (c != ' ' && c != '\t' && c != '\r')
                break;
        }
        own_line_ = false;
    }

    // Both leave at_ on the comment's last character.
    void line_comment() {
        std::size_t end = text_.find('\n', at_);
        if (end == std::string_view::npos) end = text_.size();
        std::size_t trimmed = end;
        while (trimmed > at_ && std::isspace(static_cast<unsigned char>(text_[trimmed - 1]))) --trimmed;
        add_comment(trimmed);
        at_ = end - 1;
    }

    void block_comment() {
        std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
            fault(codes::unterminated_comment, span(at_, at_ + 2), "this comment is never closed")
                .help("close it with `*/`");
            end = text_.size() - 2;
            out_.cut_off = true;
        }
        add_comment(end + 2);
        for (std::size_t i = at_; i < end; ++i)
            if (text_[i] == '\n') line_start_ = true;
        at_ = end + 1;
    }

    void add_comment(std::size_t end) {
        out_.comments.push_back(
            {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), own_line_});
    }

    void next() {
        unsigned char c = peek();
        if (is_name_start(c)) return word();
        if (c == '0' && peek(1) == 'x' && peek(2) == '"') return bytes();
        if (c == '0' && peek(1) == 'x' && is_hex(peek(2))) return hexadecimal();
        if (std::isdigit(c)) return number();
        if (c == '"') return string();
        if (c == '/' && regex_may_start()) return regex();
        punctuation();
    }

    void word() {
        std::size_t begin = at_;
        while (at_ < text_.size() && is_name_part(peek())) {
            std::size_t n = base::code_point_length(text_.substr(at_));
            if (n == 0) {
                not_utf8();
                n = 1;
            }
            if (n > 1 && is_foreign_sign(base::decode(text_.substr(at_, n)).value)) break;
            at_ += n;
        }
        if (at_ == begin) return foreign_sign();
        std::string_view word = text_.substr(begin, at_ - begin);
        if (word == "_") {
            push(TokenKind::underscore, begin, at_);
            return;
        }
        auto keyword = keyword_ids_.find(word);
        Token& token = push(keyword == keyword_ids_.end() ? TokenKind::name : keyword->second, begin, at_);
        token.name = names_.intern(word);
    }

    void number() {
        std::size_t begin = at_;
        TokenKind kind = TokenKind::integer;
        while (std::isdigit(peek())) ++at_;
        if (peek() == '.' && std::isdigit(peek(1))) {
            kind = TokenKind::real;
            ++at_;
            while (std::isdigit(peek())) ++at_;
        }
        std::size_t digits_end = at_;
        while (is_name_part(peek())) ++at_;
        std::string_view unit = text_.substr(digits_end, at_ - digits_end);
        if (unit == "xx" && digits_end == begin + 1) {  // a class of HTTP statuses: 2xx
            push(TokenKind::name, begin, at_).name = names_.intern(text_.substr(begin, at_ - begin));
            return;
        }
        if (unit == "us" || unit == "ms" || unit == "s" || unit == "m" || unit == "h")
            kind = TokenKind::duration;
        else if (!unit.empty())
            fault(codes::bad_number, span(begin, at_),
                  fmt::format("`{}` is not a number", text_.substr(begin, at_ - begin)))
                .help(unit.starts_with('x') && digits_end == begin + 1
                          ? "numbers are written 165 or 0xa5, bytes 0x\"01 ff\""
                          : "a number is digits, with a fraction (1.5) or a unit of time (us, ms, s, m, h)");
        push(kind, begin, at_);
    }

    void hexadecimal() {
        std::size_t begin = at_;
        at_ += 2;
        while (is_hex(peek())) ++at_;
        std::size_t digits_end = at_;
        while (is_name_part(peek())) ++at_;
        if (at_ > digits_end)
            fault(codes::bad_number, span(begin, at_),
                  fmt::format("`{}` is not a number", text_.substr(begin, at_ - begin)))
                .help("the digits after 0x are 0 to 9 and a to f");
        push(TokenKind::integer, begin, at_);
    }

    void string() {
        std::size_t begin = at_++;
        if (!quoted_rest(begin)) return;
        push(TokenKind::string, begin, at_);
    }

    // Reads up to and past the closing quote; without one, the string ends at the end of its line.
    bool quoted_rest(std::size_t begin) {
        while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
            if (peek() == '\\') {
                escape();
                continue;
            }
            std::size_t n = base::code_point_length(text_.substr(at_));
            if (n == 0) not_utf8();
            at_ += n == 0 ? 1 : n;
        }
        if (peek() == '"') {
            ++at_;
            return true;
        }
        fault(codes::unterminated_string, span(begin, at_), "this string is not closed on its line")
            .help("close it with `\"`; a line break inside a string is written \\n");
        push(TokenKind::string, begin, at_);
        return false;
    }

    void escape() {
        std::size_t begin = at_++;
        unsigned char c = peek();
        if (c == 'x' && is_hex(peek(1)) && is_hex(peek(2)))
            at_ += 3;
        else if (c == 'n' || c == 'r' || c == 't' || c == '\\' || c == '"')
            ++at_;
        else if (c == '\n' || c == '\r' || at_ >= text_.size())
            return;  // the string is not closed; reported then
        else {
            if (c >= 0x20 && c < 0x7f) ++at_;
            fault(codes::bad_escape, span(begin, at_), "unknown escape")
                .help("the escapes are \\n \\r \\t \\\\ \\\" and \\x with two hexadecimal digits");
        }
    }

    void bytes() {
        std::size_t begin = at_;
        at_ += 3;
        std::size_t digits = 0;
        bool fine = true;
        for (; at_ < text_.size() && peek() != '"' && peek() != '\n'; ++at_) {
            if (is_hex(peek()))
                ++digits;
            else if (peek() != ' ')
                fine = false;
        }
        if (peek() != '"') {
            fault(codes::unterminated_string, span(begin, at_), "these bytes are not closed on their line")
                .help("close them with `\"`");
        } else {
            ++at_;
            if (!fine || digits % 2 != 0)
                fault(codes::bad_number, span(begin, at_), "bytes are pairs of hexadecimal digits")
                    .help("for example 0x\"00 ff 7f\"");
        }
        push(TokenKind::bytes, begin, at_);
    }

    // A slash divides only after something that has a value; a text or a pattern cannot be divided.
    bool regex_may_start() const {
        if (out_.tokens.empty()) return false;
        switch (out_.tokens.back().kind) {
            case TokenKind::name:
            case TokenKind::integer:
            case TokenKind::real:
            case TokenKind::right_paren:
            case TokenKind::right_bracket: return false;
            default: return true;
        }
    }

    void regex() {
        std::size_t begin = at_++;
        bool in_class = false;
        while (at_ < text_.size() && peek() != '\n' && (in_class || peek() != '/')) {
            if (peek() == '\\' && at_ + 1 < text_.size() && peek(1) != '\n')
                ++at_;
            else if (peek() == '[')
                in_class = true;
            else if (peek() == ']')
                in_class = false;
            ++at_;
        }
        if (peek() == '/') {
            ++at_;
            if (peek() == 'i' && !is_name_part(peek(1))) ++at_;
        } else {
            fault(codes::unterminated_regex, span(begin, at_), "this pattern is not closed on its line")
                .help("close it with `/`; a slash inside it is written \\/");
        }
        push(TokenKind::regex, begin, at_);
    }

    void punctuation() {
        struct Spelling {
            std::string_view text;
            TokenKind kind;
        };
        static constexpr Spelling spellings[] = {
            {"->", TokenKind::arrow},         {"...", TokenKind::ellipsis},  {"..", TokenKind::dot_dot},
            {"==", TokenKind::equal},         {"!=", TokenKind::not_equal},  {"<=", TokenKind::less_equal},
            {">=", TokenKind::greater_equal}, {"{", TokenKind::left_brace},  {"}", TokenKind::right_brace},
            {"(", TokenKind::left_paren},     {")", TokenKind::right_paren}, {"[", TokenKind::left_bracket},
            {"]", TokenKind::right_bracket},  {",", TokenKind::comma},       {":", TokenKind::colon},
            {";", TokenKind::semicolon},      {".", TokenKind::dot},         {"=", TokenKind::assign},
            {"<", TokenKind::less},           {">", TokenKind::greater},     {"+", TokenKind::plus},
            {"-", TokenKind::minus},          {"*", TokenKind::star},        {"/", TokenKind::slash}};
        for (const Spelling& s : spellings) {
            if (text_.substr(at_, s.text.size()) != s.text) continue;
            push(s.kind, at_, at_ + s.text.size());
            at_ += s.text.size();
            return;
        }
        unexpected();
    }

    void foreign_sign() {
        std::size_t begin = at_;
        at_ += base::code_point_length(text_.substr(at_));
        std::string_view sign = text_.substr(begin, at_ - begin);
        auto& report = fault(codes::unexpected_character, span(begin, at_),
                             fmt::format("`{}` (U+{:04X}) is not allowed in a protocol", sign,
                                         static_cast<std::uint32_t>(base::decode(sign).value)));
        if (sign == "\u2192") {
            report.help("write `->`");
            push(TokenKind::arrow, begin, at_);
        } else if (sign == "\u201c" || sign == "\u201d" || sign == "\u2018" || sign == "\u2019") {
            report.help("use plain double quotes");
            quoted_by(begin, sign == "\u201c" || sign == "\u201d" ? "\u201d" : "\u2019");
        } else {
            report.help(
                "only letters, digits and ASCII punctuation are allowed outside strings and comments");
        }
    }

    // Whether what comes before could be followed by a binary operator.
    bool after_value() const { return !out_.tokens.empty() && !regex_may_start(); }

    // A sign of other languages is replaced by the word for it, so that reading continues after it.
    void in_place_of(std::string_view sign, std::size_t begin) {
        struct Meaning {
            std::string_view sign, word;
            bool between_values;
        };
        static constexpr Meaning meanings[] = {
            {"&&", "and", true}, {"||", "or", true}, {"%", "mod", true}, {"!", "not", false}};
        for (const Meaning& m : meanings)
            if (m.sign == sign && m.between_values == after_value())
                push(keyword_ids_.at(m.word), begin, at_).name = names_.intern(m.word);
    }

    // A text in other quotes, which begins before at_, is one fault and not one for each quote.
    void quoted_by(std::size_t begin, std::string_view close) {
        std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
        std::size_t end = text_.substr(0, line_end).find(close, at_);
        if (end == std::string_view::npos) return;
        at_ = end + close.size();
        push(TokenKind::string, begin, at_);
    }

    // One report for a run of characters that belong nowhere.
    void unexpected() {
        std::size_t begin = at_;
        static constexpr std::string_view stray = "!?@#$%^&|~`\\";
        do ++at_;
        while (text_[begin] != '\'' && at_ < text_.size() &&
               (stray.find(text_[at_]) != std::string_view::npos || peek() < 0x20) && peek() != '\n');
        std::string_view what = text_.substr(begin, at_ - begin);
        bool printable = static_cast<unsigned char>(what[0]) >= 0x20;
        bool known = what == "&&" || what == "||" || what == "!" || what == "%" || what == "'";
        if (!known && stray_on_line_) return;
        stray_on_line_ = true;
        auto& report = fault(codes::unexpected_character, span(begin, at_),
                             printable ? fmt::format("`{}` is not allowed in a protocol", what)
                                       : std::string("a control character is not allowed in a protocol"));
        if (what == "&&" || what == "||" || what == "!")
            report.help(fmt::format("write `{}`", what == "&&" ? "and" : what == "||" ? "or" : "not"));
        if (what == "%") report.help("write `mod`");
        if (what[0] == '\'') report.help("strings are written in double quotes");
        in_place_of(what, begin);
        if (what[0] == '\'') quoted_by(begin, "'");
    }

    std::string_view text_;
    base::FileId file_;
    base::Names& names_;
    base::Diagnostics& diagnostics_;
    absl::flat_hash_map<std::string_view, TokenKind> keyword_ids_;
    TokenList out_;
    std::size_t at_ = 0;
    bool line_start_ = true;
    bool own_line_ = true;
    bool stray_on_line_ = false;  // characters that belong nowhere are reported once a line
    bool utf8_ = true;            // nothing to the contrary has been seen
};

}  // namespace

TokenList lex(const base::SourceMap& sources, base::FileId file, base::Names& names,
              base::Diagnostics& diagnostics) {
    return Lexer(sources.text(file), file, names, diagnostics).run();
}

std::string string_value(std::string_view text) {
    std::string value;
    if (text.size() < 2) return value;
    text = text.substr(1, text.size() - (text.back() == '"' ? 2 : 1));
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            value += text[i];
            continue;
        }
        char c = text[++i];
        if (c == 'n')
            value += '\n';
        else if (c == 'r')
            value += '\r';
        else if (c == 't')
            value += '\t';
        else if (c == 'x' && i + 2 < text.size()) {
            value += static_cast<char>(base::hex_digit(text[i + 1]) * 16 + base::hex_digit(text[i + 2]));
            i += 2;
        } else
            value += c;
    }
    return value;
}

std::optional<std::int64_t> integer_value(std::string_view text) {
    int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
        return std::nullopt;
    return value;
}

std::string bytes_value(std::string_view text) {
    std::string value;
    int high = -1;
    for (char c : text.substr(std::min<std::size_t>(3, text.size()))) {
        int digit = base::hex_digit(c);
        if (digit < 0) continue;
        if (high >= 0) value += static_cast<char>(high * 16 + digit);
        high = high < 0 ? digit : -1;
    }
    return value;
}

bool begins_declaration(TokenKind kind) {
    switch (kind) {
        case TokenKind::kw_message:
        case TokenKind::kw_enum:
        case TokenKind::kw_record:
        case TokenKind::kw_type:
        case TokenKind::kw_const:
        case TokenKind::kw_function:
        case TokenKind::kw_predicate:
        case TokenKind::kw_protocol:
        case TokenKind::kw_wire:
        case TokenKind::kw_property: return true;
        default: return false;
    }
}

std::string_view describe(TokenKind kind) {
    switch (kind) {
        case TokenKind::end_of_file: return "the end of the file";
        case TokenKind::name: return "a name";
        case TokenKind::integer: return "a number";
        case TokenKind::real: return "a number";
        case TokenKind::string: return "a string";
        case TokenKind::bytes: return "bytes";
        case TokenKind::regex: return "a pattern";
        case TokenKind::duration: return "a duration";
        case TokenKind::left_brace: return "`{`";
        case TokenKind::right_brace: return "`}`";
        case TokenKind::left_paren: return "`(`";
        case TokenKind::right_paren: return "`)`";
        case TokenKind::left_bracket: return "`[`";
        case TokenKind::right_bracket: return "`]`";
        case TokenKind::comma: return "`,`";
        case TokenKind::colon: return "`:`";
        case TokenKind::semicolon: return "`;`";
        case TokenKind::dot: return "`.`";
        case TokenKind::dot_dot: return "`..`";
        case TokenKind::ellipsis: return "`...`";
        case TokenKind::arrow: return "`->`";
        case TokenKind::assign: return "`=`";
        case TokenKind::underscore: return "`_`";
        case TokenKind::equal: return "`==`";
        case TokenKind::not_equal: return "`!=`";
        case TokenKind::less: return "`<`";
        case TokenKind::less_equal: return "`<=`";
        case TokenKind::greater: return "`>`";
        case TokenKind::greater_equal: return "`>=`";
        case TokenKind::plus: return "`+`";
        case TokenKind::minus: return "`-`";
        case TokenKind::star: return "`*`";
        case TokenKind::slash: return "`/`";
        default:
            return keywords[static_cast<std::size_t>(kind) - static_cast<std::size_t>(TokenKind::kw_after)];
    }
}

}  // namespace treaty::lang
