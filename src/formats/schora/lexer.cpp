#include "formats/schora/lexer.h"

#include <array>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::schora {
namespace {

struct Symbol {
    std::string_view text;
    Token token;
};

// Longer ones first.
constexpr auto symbols = std::to_array<Symbol>({
    {"[>", Token::interrupt},   {"|>", Token::then},      {"->", Token::arrow}, {">=", Token::greater_equal},
    {"<=", Token::less_equal},  {"!=", Token::not_equal}, {"==", Token::equal}, {"&&", Token::conjunction},
    {"||", Token::disjunction}, {";", Token::semicolon},  {",", Token::comma},  {".", Token::dot},
    {"?", Token::question},     {"!", Token::bang},       {"(", Token::left},   {")", Token::right},
    {"[", Token::open},         {"]", Token::close},      {"|", Token::bar},    {"+", Token::plus},
    {"-", Token::minus},        {"*", Token::star},       {"/", Token::slash},  {"%", Token::percent},
    {"<", Token::less},         {">", Token::greater},    {"=", Token::equal},
});

bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool digit(char c) {
    return c >= '0' && c <= '9';
}

class Lexer {
public:
    Lexer(std::string_view text, base::FileId file, std::uint32_t at, std::uint32_t end,
          base::Diagnostics& diagnostics)
        : text_(text.substr(0, end)), file_(file), at_(at), diagnostics_(diagnostics) {}

    std::vector<Lexeme> run() {
        while (skip_blanks()) next();
        out_.push_back({Token::end, span(at_)});
        return std::move(out_);
    }

private:
    base::Span span(std::uint32_t begin) const { return {file_, begin, at_}; }
    char peek(std::uint32_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    // False at the end.
    bool skip_blanks() {
        for (; at_ < text_.size(); ++at_) {
            char c = peek();
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
            if (c == '/' && peek(1) == '/') {
                while (at_ < text_.size() && peek() != '\n') ++at_;
                continue;
            }
            if (c != '/' || peek(1) != '*') return true;
            std::uint32_t begin = at_;
            std::size_t end = text_.find("*/", at_ + 2);
            at_ = static_cast<std::uint32_t>(end == std::string_view::npos ? text_.size() : end + 1);
            if (end == std::string_view::npos)
                diagnostics_.report(codes::schora_syntax, {file_, begin, begin + 2}, "comment not closed");
        }
        at_ = static_cast<std::uint32_t>(text_.size());
        return false;
    }

    void next() {
        std::uint32_t begin = at_;
        if (letter(peek())) {
            while (letter(peek()) || digit(peek())) ++at_;
            out_.push_back({Token::name, span(begin)});
        } else if (digit(peek())) {
            while (digit(peek())) ++at_;
            out_.push_back({Token::number, span(begin)});
        } else if (peek() == '"') {
            quoted();
        } else {
            for (const Symbol& symbol : symbols) {
                if (text_.substr(at_, symbol.text.size()) != symbol.text) continue;
                at_ += static_cast<std::uint32_t>(symbol.text.size());
                out_.push_back({symbol.token, span(begin)});
                return;
            }
            while (at_ < text_.size() && (static_cast<unsigned char>(peek()) >= 0x80 || at_ == begin)) ++at_;
            diagnostics_.report(codes::schora_syntax, span(begin), "unexpected character");
        }
    }

    // Up to the closing quote; one with a backslash before it belongs to the text.
    void quoted() {
        std::uint32_t begin = at_++;
        while (at_ < text_.size() && peek() != '"' && peek() != '\n') at_ += peek() == '\\' ? 2 : 1;
        if (at_ > text_.size()) at_ = static_cast<std::uint32_t>(text_.size());
        if (peek() == '"')
            ++at_;
        else
            diagnostics_.report(codes::schora_syntax, {file_, begin, begin + 1}, "string not closed");
        out_.push_back({Token::text, span(begin)});
    }

    std::string_view text_;
    base::FileId file_;
    std::uint32_t at_;
    base::Diagnostics& diagnostics_;
    std::vector<Lexeme> out_;
};

}  // namespace

std::vector<Lexeme> lex(const base::SourceMap& sources, base::FileId file, std::uint32_t begin,
                        std::uint32_t end, base::Diagnostics& diagnostics) {
    return Lexer(sources.text(file), file, begin, end, diagnostics).run();
}

}  // namespace treaty::formats::schora
