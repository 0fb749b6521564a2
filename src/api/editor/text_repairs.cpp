#include "api/editor/text_repairs.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "api/editor/fixer.h"
#include "base/suggest.h"
#include "lang/codes.h"

namespace treaty::api {
namespace {

using lang::Token;
using lang::TokenKind;

bool is_comparison(TokenKind kind) {
    return kind >= TokenKind::equal && kind <= TokenKind::greater_equal;
}

class TextRepairer : private Fixer<TextRepairer> {
    friend Fixer<TextRepairer>;

public:
    TextRepairer(const EditorDocument& document, const QuickFixQuestion& question)
        : Fixer(document, question.place), message_(question.message) {}

    std::vector<QuickFix> run(const std::string& code) {
        static const Table all{
            {base::to_string(lang::codes::unexpected_character), &TextRepairer::plain_quotes},
            {base::to_string(lang::codes::unterminated_string), &TextRepairer::close_string},
            {base::to_string(lang::codes::unterminated_comment), &TextRepairer::close_comment},
            {base::to_string(lang::codes::unterminated_regex), &TextRepairer::close_pattern},
            {base::to_string(lang::codes::bad_escape), &TextRepairer::double_backslash},
            {base::to_string(lang::codes::expected), &TextRepairer::insert_expected},
            {base::to_string(lang::codes::unclosed_block), &TextRepairer::close_block},
            {base::to_string(lang::codes::unexpected_item), &TextRepairer::remove_brace},
            {base::to_string(lang::codes::chained_comparison), &TextRepairer::two_comparisons},
            {base::to_string(lang::codes::bad_range), &TextRepairer::swap_bounds},
            {base::to_string(lang::codes::missing_case), &TextRepairer::add_else},
            {base::to_string(lang::codes::unreached_case), &TextRepairer::remove_else},
            {base::to_string(lang::codes::unreachable_step), &TextRepairer::remove_step},
            {base::to_string(lang::codes::unaligned), &TextRepairer::fill_bits},
            {base::to_string(lang::codes::wrong_framing), &TextRepairer::other_word},
        };
        return fixes(all, code);
    }

private:
    void insert(std::uint32_t at, std::string text) { add(fmt::format("Insert `{}`", text), {at, at}, text); }

    std::string indent_at(std::uint32_t offset) const {
        std::string_view text = d_.text();
        std::size_t start = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
        std::size_t begin = start == std::string_view::npos ? 0 : start + 1;
        std::size_t end = text.find_first_not_of(" \t", begin);
        return std::string(text.substr(begin, std::min(end, text.size()) - begin));
    }

    void plain_quotes() {
        static constexpr std::string_view quotes[] = {"\u201c", "\u201d", "\u2018", "\u2019", "'"};
        std::string_view text = d_.text();
        for (std::string_view open : quotes) {
            if (!text.substr(place_.begin).starts_with(open)) continue;
            std::size_t line_end = std::min(text.find('\n', place_.begin), text.size());
            std::size_t begin = place_.begin + open.size(), end = std::string_view::npos, size = 0;
            for (std::string_view close : quotes) {
                std::size_t at = text.substr(0, line_end).find(close, begin);
                if (at < end) end = at, size = close.size();
            }
            if (end == std::string_view::npos) return;
            std::string inside(text.substr(begin, end - begin));
            if (inside.find('"') != std::string::npos) return;
            add("Use plain double quotes", {place_.begin, static_cast<std::uint32_t>(end + size)},
                fmt::format("\"{}\"", inside));
            return;
        }
    }

    void close_string() { insert(end_of_written(), "\""); }
    void close_pattern() { insert(end_of_written(), "/"); }
    // Blanks at the end of a line are not part of what was meant.
    std::uint32_t end_of_written() const {
        std::size_t last = written().find_last_not_of(" \t\r");
        return last == std::string_view::npos ? place_.end
                                              : place_.begin + static_cast<std::uint32_t>(last) + 1;
    }

    void close_comment() {
        auto end = static_cast<std::uint32_t>(d_.text().size());
        bool line = !d_.text().empty() && d_.text().back() == '\n';
        add("Close the comment at the end of the file", {end, end}, line ? "*/\n" : " */\n");
    }

    void double_backslash() { insert(place_.begin, "\\"); }

    // "expected `]`, found ..." names one sign; "expected `,` or `)`, found ..." ends with the one that
    // closes.
    void insert_expected() {
        constexpr std::string_view before = "expected `";
        if (!message_.starts_with(before)) return;
        std::size_t found = message_.find(", found ");
        if (found == std::string::npos) return;
        std::string_view what = std::string_view(message_).substr(0, found);
        if (what.back() != '`') return;
        std::size_t open = what.rfind('`', what.size() - 2);
        std::string sign(what.substr(open + 1, what.size() - open - 2));
        bool word = !sign.empty() && std::isalpha(static_cast<unsigned char>(sign[0]));
        bool after_text = place_.begin > 0 && d_.text()[place_.begin - 1] != ' ';
        std::string text = (word && after_text ? " " : "") + sign;
        add(fmt::format("Insert `{}`", sign), {place_.begin, place_.begin}, text + (word ? " " : ""));
    }

    // Before what cannot be inside: the word that continues the step, the next layout, the declaration that
    // follows; or at the end of the file.
    void close_block() {
        // Where the cases of a match end cannot be told from the text.
        if (message_.starts_with("this match")) return;
        std::string_view text = d_.text();
        std::string indent = indent_at(place_.begin);
        bool continued = message_.find(" is not closed before ") != std::string::npos;
        bool layout = message_.starts_with("this layout");
        std::vector<std::string> names = names_in(message_);
        int depth = 0;
        for (const Token& t : d_.tokens.tokens) {
            if (t.begin < place_.begin || t.kind == TokenKind::end_of_file) continue;
            std::string_view word = text.substr(t.begin, t.end - t.begin);
            if (continued && depth == 1 && !names.empty() && word == names[0])
                return add("Add the missing `}`", {t.begin, t.begin}, "} ");
            bool outside =
                t.begin > place_.end && t.first_on_line && indent_at(t.begin).size() <= indent.size();
            bool next = lang::begins_declaration(t.kind) || (layout && depth == 1 && lang::is_word(t.kind));
            if (outside && next) return close_before(t.begin, indent);
            if (t.kind == TokenKind::left_brace) ++depth;
            if (t.kind == TokenKind::right_brace) --depth;
        }
        auto end = static_cast<std::uint32_t>(text.size());
        add("Add the missing `}`", {end, end}, (text.ends_with('\n') ? "" : "\n") + indent + "}\n");
    }

    // On a line of its own after what comes before this place.
    void close_before(std::uint32_t place, const std::string& indent) {
        std::string_view text = d_.text();
        std::size_t last = text.find_last_not_of(" \t\r\n", place - 1);
        auto at = static_cast<std::uint32_t>(std::min(text.find('\n', last), text.size() - 1) + 1);
        add("Add the missing `}`", {at, at}, indent + "}\n");
    }

    void remove_brace() {
        if (written() == "}") add("Remove `}`", place_, "");
    }

    // a < b < c: what is between the two signs is compared twice.
    void two_comparisons() {
        const Token* before = nullptr;
        int depth = 0;
        for (const Token& t : d_.tokens.tokens) {
            if (t.begin >= place_.begin) break;
            if (t.kind == TokenKind::left_paren || t.kind == TokenKind::left_bracket) ++depth;
            if (t.kind == TokenKind::right_paren || t.kind == TokenKind::right_bracket) --depth;
            if (is_comparison(t.kind)) before = &t;
        }
        if (!before) return;
        std::string_view middle = d_.text().substr(before->end, place_.begin - before->end);
        std::size_t first = middle.find_first_not_of(' '), last = middle.find_last_not_of(' ');
        if (first == std::string_view::npos || middle.find('\n') != std::string_view::npos) return;
        std::string operand(middle.substr(first, last - first + 1));
        add("Compare twice, with `and`", {place_.begin, place_.begin}, fmt::format("and {} ", operand));
    }

    void swap_bounds() {
        std::string_view text = written();
        std::size_t dots = text.find("..");
        if (dots == std::string_view::npos) return;
        std::size_t low = text.rfind(' ', dots);
        low = low == std::string_view::npos ? 0 : low + 1;
        std::string swapped = fmt::format("{}..{}", text.substr(dots + 2), text.substr(low, dots - low));
        add("Put the smaller bound first", {place_.begin + static_cast<std::uint32_t>(low), place_.end},
            swapped);
    }

    // Before the brace that closes the match.
    void add_else() {
        for (const lang::Step& s : d_.syntax.steps) {
            bool here = s.kind == lang::StepKind::match && d_.own(s.head) && s.head.begin == place_.begin;
            if (!here || s.span.end == 0) continue;
            std::uint32_t brace = s.span.end - 1;
            std::string indent = indent_at(brace);
            return add("Add `else {}`", {brace, brace}, fmt::format("  else {{}}\n{}", indent));
        }
    }

    void remove_else() {
        std::string_view text = d_.text();
        if (!text.substr(place_.begin).starts_with("else")) return;
        std::size_t open = text.find('{', place_.begin);
        int depth = 0;
        for (const Token& t : d_.tokens.tokens) {
            if (t.begin < open) continue;
            if (t.kind == TokenKind::left_brace) ++depth;
            if (t.kind == TokenKind::right_brace && --depth == 0)
                return add("Remove `else`", with_line({place_.begin, t.end}), "");
        }
    }

    void remove_step() {
        for (const lang::Step& s : d_.syntax.steps)
            if (d_.own(s.head) && s.head.begin == place_.begin)
                return add("Remove this step", with_line({s.span.begin, s.span.end}), "", false);
    }

    // With its line break, if nothing else is on the lines.
    TextRange with_line(TextRange range) const {
        std::string_view text = d_.text();
        std::uint32_t begin = range.begin - static_cast<std::uint32_t>(indent_at(range.begin).size());
        bool first = begin == 0 || text[begin - 1] == '\n';
        std::size_t rest = text.find_first_not_of(" \t\r", range.end);
        bool last = rest != std::string_view::npos && text[rest] == '\n';
        return first && last ? TextRange{begin, static_cast<std::uint32_t>(rest + 1)} : range;
    }

    // "13 bits are not a whole number of bytes"
    void fill_bits() {
        std::uint32_t bits = 0;
        auto read = std::from_chars(message_.data(), message_.data() + message_.size(), bits);
        if (read.ec != std::errc() || bits % 8 == 0) return;
        // A layout in braces is filled before its brace; else the place is what needs whole bytes before it.
        bool braces = written().ends_with("}");
        std::uint32_t at = braces ? place_.end - 1 : place_.begin;
        std::string missing = fmt::format("0: {}", 8 - bits % 8);
        add(fmt::format("Add `{}`", missing), {at, at}, missing + (braces ? " " : "  "));
    }

    void other_word() {
        std::string_view best =
            base::nearest(written(), {"base64", "hex", "http", "json", "lines", "reversed", "stream"});
        if (!best.empty() && best != written() && message_.starts_with("unknown")) change_to(best);
    }

    const std::string& message_;
};

}  // namespace

std::vector<QuickFix> text_repairs(const EditorDocument& document, const QuickFixQuestion& question) {
    return TextRepairer(document, question).run(question.code);
}

std::vector<std::string> names_in(std::string_view message) {
    std::vector<std::string> result;
    for (std::size_t open = message.find('`'); open != std::string_view::npos;) {
        std::size_t close = message.find('`', open + 1);
        if (close == std::string_view::npos) break;
        result.emplace_back(message.substr(open + 1, close - open - 1));
        open = message.find('`', close + 1);
    }
    return result;
}

}  // namespace treaty::api
