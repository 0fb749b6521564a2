#include "formats/scribble/lexer.h"

#include <array>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/codes.h"

namespace treaty::formats::scribble {
namespace {

bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_word_part(char c) {
    return is_word_start(c) || c == '\'';
}

struct Spelling {
    std::string_view text;
    TokenKind kind;
};

// Longer ones first.
constexpr std::array spellings = {
    Spelling{"<=", TokenKind::less_equal},   Spelling{">=", TokenKind::greater_equal},
    Spelling{"<>", TokenKind::not_equal},    Spelling{"!=", TokenKind::not_equal},
    Spelling{"==", TokenKind::equal},        Spelling{"&&", TokenKind::both},
    Spelling{"||", TokenKind::either},       Spelling{"{", TokenKind::left_brace},
    Spelling{"}", TokenKind::right_brace},   Spelling{"(", TokenKind::left_paren},
    Spelling{")", TokenKind::right_paren},   Spelling{"[", TokenKind::left_bracket},
    Spelling{"]", TokenKind::right_bracket}, Spelling{",", TokenKind::comma},
    Spelling{":", TokenKind::colon},         Spelling{";", TokenKind::semicolon},
    Spelling{".", TokenKind::dot},           Spelling{"@", TokenKind::at},
    Spelling{"<", TokenKind::less},          Spelling{">", TokenKind::greater},
    Spelling{"=", TokenKind::equal},         Spelling{"!", TokenKind::bang},
    Spelling{"+", TokenKind::plus},          Spelling{"-", TokenKind::minus},
    Spelling{"*", TokenKind::star}};

class Lexer {
public:
    Lexer(std::string_view text, base::FileId file, base::Names& names, base::Diagnostics& diagnostics)
        : text_(text), file_(file), names_(names), diagnostics_(diagnostics) {}

    std::vector<Token> run() {
        while (at_ < text_.size()) next();
        push(TokenKind::end_of_file, text_.size());
        return std::move(tokens_);
    }

private:
    bool here(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

    void push(TokenKind kind, std::size_t end) {
        tokens_.push_back({kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), {}});
        at_ = end;
    }

    void fault(std::size_t end, std::string message) {
        diagnostics_.report(codes::scribble_syntax,
                            {file_, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)},
                            std::move(message));
    }

    void next() {
        char c = text_[at_];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')
            ++at_;
        else if (here("//") || here("(*)"))
            at_ = std::min(text_.find('\n', at_), text_.size());
        else if (here("/*"))
            comment("*/");
        else if (here("(*#"))
            comment("#*)");
        else if (here("(*"))
            nested_comment();
        else if (c == '"')
            string();
        else if (is_word_start(c))
            word();
        else
            sign();
    }

    void comment(std::string_view close) {
        std::size_t end = text_.find(close, at_ + 2);
        if (end == std::string_view::npos)
            fault(at_ + 2, fmt::format("this comment is not closed with `{}`", close));
        at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    }

    void nested_comment() {
        std::size_t depth = 0;
        for (std::size_t i = at_; i < text_.size(); ++i) {
            std::string_view two = text_.substr(i, 2);
            if (text_.substr(i, 3) == "(*)")
                i += 2;  // nuScr: does not open a comment inside one
            else if (two == "(*")
                ++depth, ++i;
            else if (two == "*)" && (++i, --depth) == 0) {
                at_ = i + 1;
                return;
            }
        }
        fault(at_ + 2, "this comment is not closed with `*)`");
        at_ = text_.size();
    }

    void string() {
        std::size_t end = text_.find_first_of("\"\n", at_ + 1);
        bool closed = end != std::string_view::npos && text_[end] == '"';
        end = end == std::string_view::npos ? text_.size() : end + closed;
        if (!closed) fault(end, "this string is not closed on its line");
        push(TokenKind::string, end);
    }

    void word() {
        std::size_t end = at_;
        while (end < text_.size() && is_word_part(text_[end])) ++end;
        std::string_view text = text_.substr(at_, end - at_);
        push(TokenKind::word, end);
        tokens_.back().name = names_.intern(text);
    }

    void sign() {
        for (const Spelling& s : spellings)
            if (here(s.text)) return push(s.kind, at_ + s.text.size());
        std::size_t end = at_ + 1;
        while (end < text_.size() && base::is_continuation(text_[end])) ++end;  // one UTF-8 character
        unsigned char first = static_cast<unsigned char>(text_[at_]);
        fault(end, first > 0x20 && first < 0x7f ? fmt::format("unexpected `{}`", text_[at_])
                                                : std::string("unexpected character"));
        push(TokenKind::other, end);
    }

    std::string_view text_;
    base::FileId file_;
    base::Names& names_;
    base::Diagnostics& diagnostics_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> lex(const base::SourceMap& sources, base::FileId file, base::Names& names,
                       base::Diagnostics& diagnostics) {
    return Lexer(sources.text(file), file, names, diagnostics).run();
}

}  // namespace treaty::formats::scribble
