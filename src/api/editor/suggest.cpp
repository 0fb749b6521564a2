#include "api/editor/suggest.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "expr/operators.h"
#include "formats/import.h"

namespace treaty::api {
namespace {

using lang::SymbolId;
using lang::SymbolKind;
using lang::Token;
using lang::TokenKind;

constexpr std::string_view step_words[] = {"choice", "par",   "repeat", "rec",  "continue",
                                           "if",     "match", "while",  "when", "optional",
                                           "try",    "let",   "signal", "wait", "do"};
constexpr std::string_view item_words[] = {"message",   "const",    "enum", "record",   "type",  "function",
                                           "predicate", "protocol", "wire", "property", "import"};
constexpr std::string_view type_words[] = {"bool", "int",      "real", "string", "bytes",
                                           "list", "optional", "set",  "map"};
constexpr std::string_view value_words[] = {"true", "false", "none", "not", "if"};

bool begins_item(const Token& token) {
    return token.first_on_line && lang::begins_declaration(token.kind);
}

// The tokens before a place, and what follows from them.
class Surroundings {
public:
    Surroundings(const EditorDocument& document, std::uint32_t offset) : document_(document) {
        const auto& tokens = document.tokens.tokens;
        while (count_ < tokens.size() && tokens[count_].kind != TokenKind::end_of_file &&
               tokens[count_].end < offset)
            ++count_;
        word_begin = word_end = offset;
        const Token& next = tokens[std::min(count_, tokens.size() - 1)];
        if (lang::is_word(next.kind) && next.begin < offset && offset <= next.end) {
            word_begin = next.begin;
            word_end = next.end;
            at_line_start = next.first_on_line;
        } else {
            if (next.kind != TokenKind::end_of_file && next.end <= offset) ++count_;
            std::string_view before = document.text().substr(0, offset);
            at_line_start = before.find_last_not_of(" \t") == std::string_view::npos ||
                            before[before.find_last_not_of(" \t")] == '\n';
        }
        for (item_ = count_; item_ > 0 && !begins_item(tokens[item_ - 1]);) --item_;
        line_ = count_;
        while (line_ > 0 && !tokens[line_].first_on_line) --line_;
        if (count_ < tokens.size() && !at_line_start && line_ == count_ && count_ > 0) {
            line_ = count_ - 1;
            while (line_ > 0 && !tokens[line_].first_on_line) --line_;
        }
    }

    // The token that many before the place; the end of the file if there is none.
    const Token& before(std::size_t steps = 1) const {
        static const Token none;
        return steps <= count_ ? document_.tokens.tokens[count_ - steps] : none;
    }
    // What the place is in: kw_protocol, kw_wire...; the end of the file if it is in nothing.
    TokenKind item() const {
        return item_ > 0 ? document_.tokens.tokens[item_ - 1].kind : TokenKind::end_of_file;
    }
    // How many braces are open since the item began.
    int open_braces() const {
        int open = 0;
        for (std::size_t i = item_; i < count_; ++i) {
            if (document_.tokens.tokens[i].kind == TokenKind::left_brace) ++open;
            if (document_.tokens.tokens[i].kind == TokenKind::right_brace) --open;
        }
        return open;
    }
    bool line_has(TokenKind kind) const {
        for (std::size_t i = line_; i < count_; ++i)
            if (document_.tokens.tokens[i].kind == kind) return true;
        return false;
    }
    // The token before the parenthesis that is open here, and the commas since; none outside of parentheses.
    const Token* called(std::size_t& commas) const {
        int depth = 0;
        commas = 0;
        for (std::size_t i = count_; i > 1; --i) {
            const Token& t = document_.tokens.tokens[i - 1];
            if (t.kind == TokenKind::left_brace || t.kind == TokenKind::right_brace) return nullptr;
            if (t.kind == TokenKind::right_paren) ++depth;
            if (t.kind == TokenKind::comma && depth == 0) ++commas;
            if (t.kind == TokenKind::left_paren && depth-- == 0) {
                const Token& name = document_.tokens.tokens[i - 2];
                called_before_ = i > 2 ? document_.tokens.tokens[i - 3].kind : TokenKind::end_of_file;
                return lang::is_word(name.kind) ? &name : nullptr;
            }
        }
        return nullptr;
    }
    TokenKind before_called() const { return called_before_; }
    // The roles of the protocol around the place, from its tokens: it need not be readable.
    std::vector<std::string> roles() const {
        std::vector<std::string> result;
        if (item() != TokenKind::kw_protocol) return result;
        const auto& tokens = document_.tokens.tokens;
        for (std::size_t i = item_ + 1; i < tokens.size() && tokens[i].kind != TokenKind::right_paren &&
                                        tokens[i].kind != TokenKind::left_brace;
             ++i)
            if (tokens[i].kind == TokenKind::name) result.emplace_back(document_.text(tokens[i].name));
        return result;
    }
    // The fields or parameters of the declaration around the place, which need not be readable.
    std::vector<std::string> fields() const {
        std::vector<std::string> result;
        const auto& tokens = document_.tokens.tokens;
        for (std::size_t i = item_; i + 1 < count_; ++i)
            if (tokens[i].kind == TokenKind::name && tokens[i + 1].kind == TokenKind::colon)
                result.emplace_back(document_.text(tokens[i].name));
        return result;
    }
    // The role that sends on this line; empty if none does.
    std::string sender() const {
        const auto& tokens = document_.tokens.tokens;
        bool sends = line_ + 1 < count_ && tokens[line_].kind == TokenKind::name &&
                     tokens[line_ + 1].kind == TokenKind::arrow;
        return sends ? std::string(document_.text(tokens[line_].name)) : std::string();
    }
    std::uint32_t item_begin() const { return item_ > 0 ? document_.tokens.tokens[item_ - 1].begin : 0; }
    std::uint32_t word_begin = 0, word_end = 0;
    bool at_line_start = false;

private:
    const EditorDocument& document_;
    std::size_t count_ = 0;  // tokens before the word that is being written
    std::size_t item_ = 0;   // one after the token that begins the item
    std::size_t line_ = 0;   // the first token of the line
    mutable TokenKind called_before_ = TokenKind::end_of_file;
};

class Suggester {
public:
    Suggester(const EditorDocument& document, std::uint32_t offset)
        : document_(document), offset_(offset), around_(document, offset) {}

    SuggestAnswer run() {
        answer_.replaced = {std::string(document_.sources.path(document_.file)), around_.word_begin,
                            around_.word_end};
        if (!import()) choose();
        return std::move(answer_);
    }

private:
    void add(std::string text, SuggestionKind kind, std::string detail = {}) {
        if (known_.insert(text).second)
            answer_.suggestions.push_back({std::move(text), kind, std::move(detail)});
    }

    bool import() {
        std::string_view text = document_.text().substr(0, offset_);
        std::size_t start = text.rfind('\n');
        std::string_view line = text.substr(start == std::string_view::npos ? 0 : start + 1);
        std::size_t quote = line.find('"');
        bool inside = line.starts_with("import") && quote != std::string_view::npos &&
                      line.find('"', quote + 1) == std::string_view::npos;
        if (!inside) return false;
        answer_.replaced.begin = offset_ - static_cast<std::uint32_t>(line.size() - quote - 1);
        answer_.replaced.end = offset_;
        for (std::string_view name : formats::library_names())
            add(fmt::format("library/{}", name), SuggestionKind::file);
        return true;
    }

    void choose() {
        TokenKind previous = around_.before().kind;
        switch (previous) {
            case TokenKind::kw_at: return roles();
            case TokenKind::arrow: return roles();
            case TokenKind::kw_do: return symbols(SymbolKind::protocol, SuggestionKind::protocol);
            case TokenKind::kw_continue: return symbols(SymbolKind::loop, SuggestionKind::label);
            case TokenKind::kw_signal:
            case TokenKind::kw_wait: return symbols(SymbolKind::signal, SuggestionKind::label);
            case TokenKind::dot: return fields();
            default: break;
        }
        std::size_t commas = 0;
        const Token* called = around_.called(commas);
        bool interaction = around_.line_has(TokenKind::arrow);
        bool body = around_.open_braces() > 0;
        bool declares = around_.item() == TokenKind::kw_message || around_.item() == TokenKind::kw_record ||
                        around_.item() == TokenKind::kw_function ||
                        around_.item() == TokenKind::kw_predicate || around_.item() == TokenKind::kw_type;
        if (interaction && previous == TokenKind::comma && !around_.line_has(TokenKind::colon))
            return roles();
        if (interaction && previous == TokenKind::colon)
            return symbols(SymbolKind::message, SuggestionKind::message);
        if (around_.item() == TokenKind::kw_protocol && called && around_.before_called() == TokenKind::kw_do)
            return roles();
        if (called && body) return arguments(*called);
        if (declares && (previous == TokenKind::colon || previous == TokenKind::less ||
                         (previous == TokenKind::assign && around_.item() == TokenKind::kw_type)))
            return types();
        if (around_.at_line_start) return line_start(body);
        bool lists_names = around_.item() == TokenKind::kw_enum || around_.item() == TokenKind::kw_record;
        bool condition = around_.line_has(TokenKind::kw_where) || around_.line_has(TokenKind::assign);
        if (expects_value(previous) && !lists_names && (body || condition)) values();
    }

    void line_start(bool body) {
        if (!body) {
            for (std::string_view word : item_words) add(std::string(word), SuggestionKind::word);
            return;
        }
        if (around_.item() == TokenKind::kw_wire)
            return symbols(SymbolKind::message, SuggestionKind::message);
        if (around_.item() != TokenKind::kw_protocol) return;
        roles();
        for (std::string_view word : step_words) add(std::string(word), SuggestionKind::word);
    }

    static bool expects_value(TokenKind kind) {
        switch (kind) {
            case TokenKind::kw_where:
            case TokenKind::kw_if:
            case TokenKind::kw_while:
            case TokenKind::kw_when:
            case TokenKind::kw_then:
            case TokenKind::kw_else:
            case TokenKind::kw_and:
            case TokenKind::kw_or:
            case TokenKind::kw_not:
            case TokenKind::kw_implies:
            case TokenKind::kw_in:
            case TokenKind::kw_mod:
            case TokenKind::assign:
            case TokenKind::left_paren:
            case TokenKind::left_bracket:
            case TokenKind::comma: return true;
            default: return kind >= TokenKind::equal && kind <= TokenKind::slash;
        }
    }

    void roles() {
        for (std::string& role : around_.roles()) add(std::move(role), SuggestionKind::role);
        if (around_.item() == TokenKind::kw_property) symbols(SymbolKind::role, SuggestionKind::role);
    }

    std::string detail_of(SymbolId id) const {
        const lang::Symbol& s = document_.symbol(id);
        if (s.kind == SymbolKind::message && s.is_declared)
            return std::string(document_.sources.text(s.whole));
        if (s.owner && s.kind == SymbolKind::member)
            return std::string(document_.text(document_.symbol(s.owner).name));
        return std::string(document_.type_text(s));
    }

    void add(SymbolId id, SuggestionKind kind) {
        // A name that is only being written is not a suggestion.
        const lang::Symbol& s = document_.symbol(id);
        if (document_.own(s.declared) && s.declared.begin == around_.word_begin) return;
        add(std::string(document_.text(s.name)), kind, detail_of(id));
    }

    void symbols(SymbolKind wanted, SuggestionKind kind) {
        for (std::size_t i = 0; i < document_.index->symbols().size(); ++i)
            if (document_.symbol(SymbolId(i)).kind == wanted) add(SymbolId(i), kind);
    }

    void fields() {
        for (std::size_t i = 0; i < document_.index->symbols().size(); ++i) {
            const lang::Symbol& s = document_.symbol(SymbolId(i));
            if (s.kind == SymbolKind::field && s.owner &&
                document_.symbol(s.owner).kind == SymbolKind::record)
                add(SymbolId(i), SuggestionKind::field);
        }
    }

    void types() {
        for (std::string_view word : type_words) add(std::string(word), SuggestionKind::type);
        for (SymbolKind kind : {SymbolKind::alias, SymbolKind::enumeration, SymbolKind::record})
            symbols(kind, SuggestionKind::type);
    }

    void arguments(const Token& called) {
        if (around_.before().kind != TokenKind::left_paren && around_.before().kind != TokenKind::comma)
            return values();
        SymbolId message = document_.index->find(SymbolKind::message, called.name);
        if (message && around_.before_called() == TokenKind::colon) {
            add("let", SuggestionKind::word);
            for (SymbolId field : document_.index->owned(message, SymbolKind::field))
                add(field, SuggestionKind::field);
        }
        values();
    }

    // Whether a role can know a value here, as far as the steps before show it: it has sent or received the
    // message that bound it, or one that carried it. A computed value counts as known.
    bool may_know(const std::string& role, base::NameId value) const {
        bool bound = false;
        for (const lang::Step& s : document_.syntax.steps) {
            bool before =
                document_.own(s.head) && around_.item_begin() <= s.head.begin && s.head.end <= offset_;
            if (!before) continue;
            if (s.kind == lang::StepKind::let && s.name.id == value) return true;
            if (s.kind != lang::StepKind::interaction) continue;
            bool receives = false;
            for (const lang::Name& to : lang::Syntax::part(document_.syntax.names, s.roles))
                receives = receives || document_.text(to.id) == role;
            for (const lang::ArgumentSyntax& a :
                 lang::Syntax::part(document_.syntax.arguments, s.arguments)) {
                bool carries = a.value && document_.syntax[a.value].kind == lang::SyntaxExprKind::name &&
                               document_.syntax[a.value].name == value;
                bool binds = a.bind.id == value;
                bound = bound || binds;
                if ((binds || carries) && (receives || document_.text(s.role.id) == role)) return true;
            }
        }
        return !bound;
    }

    void values() {
        std::string sender = around_.sender();
        std::vector<SymbolId> unknown;
        for (SymbolId id : document_.index->visible(document_.file, offset_)) {
            bool known = sender.empty() || may_know(sender, document_.symbol(id).name);
            if (known)
                add(id, SuggestionKind::value);
            else
                unknown.push_back(id);
        }
        bool declaration = around_.item() == TokenKind::kw_message ||
                           around_.item() == TokenKind::kw_function ||
                           around_.item() == TokenKind::kw_predicate;
        if (declaration)
            for (std::string& field : around_.fields()) add(std::move(field), SuggestionKind::value);
        symbols(SymbolKind::constant, SuggestionKind::value);
        symbols(SymbolKind::member, SuggestionKind::member);
        symbols(SymbolKind::function, SuggestionKind::function);
        symbols(SymbolKind::record, SuggestionKind::type);
        for (const expr::Operator& o : expr::operators())
            if (o.notation == expr::Notation::function) add(std::string(o.name), SuggestionKind::function);
        for (std::string_view word : value_words) add(std::string(word), SuggestionKind::word);
        for (SymbolId id : unknown)
            add(std::string(document_.text(document_.symbol(id).name)), SuggestionKind::value,
                fmt::format("{} does not know it", sender));
    }

    const EditorDocument& document_;
    std::uint32_t offset_;
    Surroundings around_;
    SuggestAnswer answer_;
    std::set<std::string> known_;
};

}  // namespace

SuggestAnswer suggest(const Workspace& workspace, const std::string& file, std::uint32_t offset) {
    auto document = read_for_editor(workspace, file);
    if (!document) return {};
    return Suggester(*document,
                     std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(document->text().size())))
        .run();
}

std::optional<Signature> signature(const Workspace& workspace, const std::string& file,
                                   std::uint32_t offset) {
    auto document = read_for_editor(workspace, file);
    if (!document) return std::nullopt;
    Surroundings around(*document, offset);
    Signature result;
    const Token* called = around.called(result.active);
    if (!called) return std::nullopt;
    for (SymbolKind kind : {SymbolKind::message, SymbolKind::function, SymbolKind::record}) {
        SymbolId symbol = document->index->find(kind, called->name);
        if (!symbol) continue;
        result.label = fmt::format("{}(", document->text(called->name));
        for (SymbolKind part : {SymbolKind::field, SymbolKind::parameter})
            for (SymbolId id : document->index->owned(symbol, part)) {
                const lang::Symbol& s = document->symbol(id);
                result.parameters.push_back(
                    fmt::format("{}: {}", document->text(s.name), document->type_text(s)));
            }
        result.label += fmt::format("{})", fmt::join(result.parameters, ", "));
        return result;
    }
    return std::nullopt;
}

}  // namespace treaty::api
