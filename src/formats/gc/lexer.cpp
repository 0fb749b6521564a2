#include "formats/gc/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::gc {
namespace {

constexpr std::string_view separators = "@.,;:()[]{}|+-*/^!?%";

bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

constexpr std::array<std::pair<std::string_view, Token>, 11> words{{
    {"let", Token::kw_let},
    {"in", Token::kw_in},
    {"sel", Token::kw_sel},
    {"branch", Token::kw_branch},
    {"repeat", Token::kw_repeat},
    {"do", Token::kw_do},
    {"with", Token::kw_with},
    {"unless", Token::kw_unless},
    {"=>", Token::multi_arrow},
    {"=", Token::equals},
    {"&", Token::ampersand},
}};

Token word_kind(std::string_view text) {
    for (const auto& [word, kind] : words)
        if (word == text) return kind;
    return Token::name;
}

class Scanner {
public:
    Scanner(const base::SourceMap& sources, base::FileId file, Dialect dialect,
            base::Diagnostics& diagnostics)
        : text_(sources.text(file)), file_(file), dialect_(dialect), diagnostics_(diagnostics) {}

    std::vector<Lexeme> run() {
        while (skip_blanks_and_comments()) next();
        add(Token::end, text_.size(), text_.size());
        return std::move(tokens_);
    }

private:
    base::Span span(std::size_t begin, std::size_t end) const {
        return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }
    char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    void add(Token kind, std::size_t begin, std::size_t end) {
        tokens_.push_back({kind, span(begin, end), text_.substr(begin, end - begin)});
        at_ = end;
    }

    void to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    // False at the end of the text.
    bool skip_blanks_and_comments() {
        while (at_ < text_.size()) {
            if (blank(text_[at_])) {
                ++at_;
            } else if (starts("..") || starts("//")) {
                to_line_end();
            } else if (dialect_ == Dialect::sgg && starts("[")) {
                comment("]", "close it with `]`");
            } else if (starts("[[")) {
                comment("]]", "close it with `]]`; a hole inside brackets is written `[ [] ]`, with blanks");
            } else {
                return true;
            }
        }
        return false;
    }

    // The brackets that close it are as many as those that open it.
    void comment(std::string_view close, std::string hint) {
        std::size_t end = text_.find(close, at_ + close.size());
        if (end == std::string_view::npos) {
            diagnostics_
                .report(codes::gc_unterminated_comment, span(at_, at_ + close.size()),
                        "this comment is not closed")
                .help(std::move(hint));
            at_ = text_.size();
        } else {
            at_ = end + close.size();
        }
    }

    void next() {
        if (starts("->")) return add(Token::arrow, at_, at_ + 2);
        if (starts("(o)")) return add(Token::empty, at_, at_ + 3);
        switch (text_[at_]) {
            case ':': return add(Token::colon, at_, at_ + 1);
            case ';': return add(Token::semicolon, at_, at_ + 1);
            case '+': return add(Token::plus, at_, at_ + 1);
            case '|': return add(Token::bar, at_, at_ + 1);
            case '*': return add(Token::star, at_, at_ + 1);
            case '@': return add(Token::at, at_, at_ + 1);
            case '%': return percent();
            case '{': return brace();
            case '}': return add(Token::right_brace, at_, at_ + 1);
            case '[': return add(Token::left_bracket, at_, at_ + 1);
            case ']': return add(Token::right_bracket, at_, at_ + 1);
            default: break;
        }
        if (dialect_ == Dialect::sgg) {
            if (starts("=>")) return add(Token::multi_arrow, at_, at_ + 2);
            if (starts("(")) return add(Token::left_paren, at_, at_ + 1);
            if (starts(")")) return add(Token::right_paren, at_, at_ + 1);
            if (starts(",")) return add(Token::comma, at_, at_ + 1);
        }
        if (!name_character(text_[at_])) return stray();
        std::size_t end = at_;
        while (end < text_.size() && name_character(text_[end])) ++end;
        add(word_kind(text_.substr(at_, end - at_)), at_, end);
    }

    // A guard's text may be quoted; an unclosed quote is part of a name.
    void percent() {
        add(Token::percent, at_, at_ + 1);
        std::size_t open = at_;
        while (open < text_.size() && blank(text_[open])) ++open;
        if (open == text_.size() || text_[open] != '"') return;
        std::size_t close = text_.find_first_of("\"\n", open + 1);
        if (close == std::string_view::npos || text_[close] == '\n') return;
        add(Token::text, open, close + 1);
    }

    // `{sqos ...}` and `{rqos ...}` are one token: what is inside follows no rule of ours.
    void brace() {
        std::size_t word = at_ + 1;
        while (word < text_.size() && blank(text_[word])) ++word;
        std::size_t end = word;
        while (end < text_.size() && name_character(text_[end])) ++end;
        std::string_view name = text_.substr(word, end - word);
        if (name != "sqos" && name != "rqos") return add(Token::left_brace, at_, at_ + 1);
        std::size_t close = text_.find('}', end);
        if (close == std::string_view::npos) {
            diagnostics_
                .report(codes::gc_unterminated_qos, span(at_, end),
                        fmt::format("this `{}` note is not closed", name))
                .help("close it with `}`");
            return add(Token::qos, at_, text_.size());
        }
        add(Token::qos, at_, close + 1);
    }

    // Neighbouring stray characters are one fault.
    void stray() {
        std::size_t end = at_;
        auto is_stray = [&](std::size_t i) {
            std::string_view rest = text_.substr(i);
            if (rest.starts_with("->") || rest.starts_with("(o)") || rest.starts_with("..") ||
                rest.starts_with("//"))
                return false;
            return std::string_view(".,()-/^!?").find(text_[i]) != std::string_view::npos;
        };
        do ++end;
        while (end < text_.size() && is_stray(end));
        std::string_view what = text_.substr(at_, end - at_);
        auto& d = diagnostics_.report(codes::gc_stray_character, span(at_, end),
                                      fmt::format("unexpected `{}`", what));
        if (what == ".") d.help("a comment begins with two dots: `..`");
        if (what == "-") d.help("an interaction is written `A -> B : message`");
        if (what == "/") d.help("a comment begins with `//` or `..`");
        if (what[0] == '(' || what[0] == ')') d.help("group with braces; `(o)` is the empty choreography");
        if (what == ",") d.help("receivers and arguments are separated by blanks");
        at_ = end;
    }

    std::string_view text_;
    base::FileId file_;
    Dialect dialect_;
    base::Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    std::vector<Lexeme> tokens_;
};

}  // namespace

std::vector<Lexeme> scan(const base::SourceMap& sources, base::FileId file, Dialect dialect,
                         base::Diagnostics& diagnostics) {
    return Scanner(sources, file, dialect, diagnostics).run();
}

bool name_character(char c) {
    return !blank(c) && separators.find(c) == std::string_view::npos;
}

bool keyword(std::string_view name) {
    return word_kind(name) != Token::name;
}

bool role_name(std::string_view name) {
    return !name.empty() && ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z'));
}

std::string_view describe(Token kind) {
    switch (kind) {
        case Token::end: return "the end of the file";
        case Token::name: return "a name";
        case Token::text: return "a quoted text";
        case Token::arrow: return "`->`";
        case Token::multi_arrow: return "`=>`";
        case Token::equals: return "`=`";
        case Token::ampersand: return "`&`";
        case Token::colon: return "`:`";
        case Token::semicolon: return "`;`";
        case Token::plus: return "`+`";
        case Token::bar: return "`|`";
        case Token::star: return "`*`";
        case Token::at: return "`@`";
        case Token::percent: return "`%`";
        case Token::left_brace: return "`{`";
        case Token::right_brace: return "`}`";
        case Token::left_bracket: return "`[`";
        case Token::right_bracket: return "`]`";
        case Token::left_paren: return "`(`";
        case Token::right_paren: return "`)`";
        case Token::comma: return "`,`";
        case Token::empty: return "`(o)`";
        case Token::qos: return "a quality note";
        case Token::kw_let: return "`let`";
        case Token::kw_in: return "`in`";
        case Token::kw_sel: return "`sel`";
        case Token::kw_branch: return "`branch`";
        case Token::kw_repeat: return "`repeat`";
        case Token::kw_do: return "`do`";
        case Token::kw_with: return "`with`";
        case Token::kw_unless: return "`unless`";
    }
    return "";
}

std::string describe(const Lexeme& lexeme) {
    if (lexeme.kind == Token::name) return fmt::format("`{}`", lexeme.text);
    return std::string(describe(lexeme.kind));
}

}  // namespace treaty::formats::gc
