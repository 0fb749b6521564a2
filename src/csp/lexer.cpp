#include "csp/lexer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "csp/codes.h"

namespace treaty::csp {
namespace {

// Longest first, so that the first that fits is the one.
constexpr auto symbols = std::to_array<std::string_view>({
    "[FD=", "|~|", "|||", "[T=", "[F=", "<->", "[||", "||]", "[|", "|]", "[[", "]]", "[]", "[>",
    "|>",   "||",  "{|",  "|}",  "/\\", "->",  "<-",  "..",  "@@", "==", "!=", "<=", ">=", ":[",
    "]:",   "(",   ")",   "{",   "}",   "[",   "]",   "<",   ">",  "+",  "-",  "*",  "/",  "%",
    "^",    "#",   "=",   "|",   ",",   ";",   ":",   ".",   "?",  "!",  "$",  "@",  "&",  "\\",
});
constexpr auto keywords = std::to_array<std::string_view>({
    "and",         "or",       "not",     "if",       "then",     "else",      "let",    "within",
    "true",        "false",    "channel", "datatype", "nametype", "subtype",   "assert", "include",
    "transparent", "external", "module",  "instance", "exports",  "endmodule", "Timed",  "print",
});

bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

class Lexer {
public:
    Lexer(std::string_view text, base::FileId file, base::Diagnostics& diagnostics)
        : text_(text), file_(file), diagnostics_(diagnostics) {}

    std::vector<Token> run() {
        while (skip_blanks(), at_ < text_.size()) {
            std::size_t begin = at_;
            if (letter(text_[at_]) || text_[at_] == '_')
                word(begin);
            else if (digit(text_[at_]))
                number(begin);
            else if (text_[at_] == '"' || text_[at_] == '\'')
                quoted(begin);
            else
                symbol(begin);
        }
        add(TokenKind::end, at_);
        return std::move(tokens_);
    }

private:
    void add(TokenKind kind, std::size_t begin) {
        tokens_.push_back({kind, text_.substr(begin, at_ - begin), span(begin, at_), fresh_line_});
        fresh_line_ = false;
    }
    base::Span span(std::size_t begin, std::size_t end) const {
        return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            if (space(text_[at_])) {
                fresh_line_ = fresh_line_ || text_[at_] == '\n';
                ++at_;
            } else if (text_.substr(at_, 2) == "--") {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_.substr(at_, 2) == "{-") {
                block_comment();
            } else {
                return;
            }
        }
    }

    void block_comment() {
        std::size_t begin = at_, depth = 0;
        do {
            if (text_.substr(at_, 2) == "{-")
                ++depth, at_ += 2;
            else if (text_.substr(at_, 2) == "-}")
                --depth, at_ += 2;
            else
                ++at_;
        } while (depth > 0 && at_ < text_.size());
        if (depth > 0)
            diagnostics_.report(codes::expected, span(begin, begin + 2), "this comment is not closed");
    }

    void word(std::size_t begin) {
        while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]) || text_[at_] == '_')) ++at_;
        while (at_ < text_.size() && text_[at_] == '\'') ++at_;
        // Module::name is one word if nothing is in between; f :: Type is not.
        if (text_.substr(at_, 2) == "::" && at_ + 2 < text_.size() &&
            (letter(text_[at_ + 2]) || text_[at_ + 2] == '_')) {
            at_ += 2;
            return word(begin);
        }
        bool key =
            std::find(keywords.begin(), keywords.end(), text_.substr(begin, at_ - begin)) != keywords.end();
        add(key ? TokenKind::keyword : TokenKind::name, begin);
    }
    void number(std::size_t begin) {
        while (at_ < text_.size() && digit(text_[at_])) ++at_;
        add(TokenKind::number, begin);
    }
    // A string, or one character in single quotes.
    void quoted(std::size_t begin) {
        char quote = text_[at_++];
        std::size_t letters = 0;
        for (; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++letters)
            at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
        bool closed = at_ < text_.size() && text_[at_] == quote;
        if (closed) ++at_;
        add(TokenKind::text, begin);
        if (!closed)
            diagnostics_.report(codes::expected, span(begin, at_), "this text is not closed");
        else if (quote == '\'' && letters != 1)
            diagnostics_.report(codes::bad_character, span(begin, at_),
                                "expected one character between the quotes");
    }
    void symbol(std::size_t begin) {
        for (std::string_view s : symbols) {
            if (text_.substr(at_, s.size()) != s) continue;
            at_ += s.size();
            return add(TokenKind::symbol, begin);
        }
        // A whole run of such bytes is one fault: a letter of another script is several bytes.
        auto known = [&](char c) {
            return space(c) || letter(c) || digit(c) ||
                   std::string_view("[|<{/-.@=!:]()}>+*%^#,;?$&\\_\"").find(c) != std::string_view::npos;
        };
        while (at_ < text_.size() && !known(text_[at_])) ++at_;
        at_ = std::max(at_, begin + 1);
        diagnostics_.report(codes::bad_character, span(begin, at_), "CSPM does not use this character");
    }

    std::string_view text_;
    base::FileId file_;
    base::Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    bool fresh_line_ = true;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(const base::SourceMap& sources, base::FileId file,
                             base::Diagnostics& diagnostics) {
    return Lexer(sources.text(file), file, diagnostics).run();
}

}  // namespace treaty::csp
