#include "formats/schora/parser.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/suggest.h"
#include "formats/codes.h"

namespace treaty::formats::schora {
namespace {

constexpr std::size_t max_depth = 150;
constexpr auto modes =
    std::to_array<std::string_view>({"SYNC", "ASYNC_SENDER", "ASYNC_RECEIVER", "ASYNC_DISJOINT"});

struct Abandoned {};  // thrown to the nearest place where reading can go on; never leaves this file

enum class Dialect : std::uint8_t { script, chor };

class Parser {
public:
    Parser(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics, Dialect dialect)
        : sources_(sources),
          file_(file),
          diagnostics_(diagnostics),
          dialect_(dialect),
          tokens_(lex(sources, file, 0, static_cast<std::uint32_t>(sources.text(file).size()), diagnostics)) {
    }

    ScriptText script() {
        ScriptText out;
        try {
            expect_word("DECLARATIONS");
        } catch (const Abandoned&) {
        }
        while (!at(Token::end) && !at_word("COMMANDS")) {
            ComponentText component;
            try {
                read_component(component);
            } catch (const Abandoned&) {
                component.broken = true;
                skip_to({"component", "COMMANDS"});
            }
            if (!component.name.empty()) out.components.push_back(std::move(component));
        }
        if (at(Token::end)) {
            report("expected COMMANDS after the components");
            return out;
        }
        ++at_;
        while (!at(Token::end)) {
            try {
                out.commands.push_back(command());
            } catch (const Abandoned&) {
                skip_to_command();
            }
        }
        return out;
    }

    ComponentText chor() {
        ComponentText out;
        into_ = &out;
        try {
            out.root = chor_level();
            if (!at(Token::end)) fail("expected the end of the expression");
        } catch (const Abandoned&) {
            out.broken = true;
        }
        return out;
    }

private:
    // Tokens.
    const Lexeme& now() const { return tokens_[at_]; }
    bool at(Token token) const { return now().token == token; }
    std::string_view word() const { return sources_.text(now().span); }
    bool at_word(std::string_view text) const { return at(Token::name) && word() == text; }
    bool accept(Token token) {
        if (!at(token)) return false;
        ++at_;
        return true;
    }
    void report(std::string message) {
        base::Span span = now().span;
        if (span.begin == span.end && span.begin > 0) --span.begin;
        diagnostics_.report(codes::schora_syntax, span, std::move(message));
    }
    [[noreturn]] void fail(std::string message) {
        report(std::move(message));
        throw Abandoned{};
    }
    void expect(Token token, std::string_view what) {
        if (!accept(token)) fail(fmt::format("expected {}", what));
    }
    void expect_word(std::string_view text) {
        if (!at_word(text)) fail(fmt::format("expected {}", text));
        ++at_;
    }
    std::string name(std::string_view what) {
        if (!at(Token::name) && !(dialect_ == Dialect::chor && at(Token::number)))
            fail(fmt::format("expected {}", what));
        std::string text(word());
        if (at(Token::number)) text = "r" + text;
        ++at_;
        return text;
    }
    void skip_to(std::initializer_list<std::string_view> words) {
        while (!at(Token::end)) {
            bool closing = at_word("component") && at_ > 0 && tokens_[at_ - 1].token == Token::name &&
                           sources_.text(tokens_[at_ - 1].span) == "end";
            if (!closing && std::any_of(words.begin(), words.end(), [&](auto w) { return at_word(w); }))
                return;
            ++at_;
        }
    }

    // Components.
    void read_component(ComponentText& out) {
        expect_word("component");
        out.name_span = now().span;
        out.name = name("the name of the component");
        into_ = &out;
        if (at_word("chorD")) {
            ++at_;
            out.root = interruption();
        } else if (at_word("STG")) {
            ++at_;
            out.kind = ComponentText::Kind::graph;
            read_graph(out);
        } else {
            fail("expected chorD or STG");
        }
        expect_word("end");
        expect_word("component");
    }

    void read_graph(ComponentText& out) {
        while (at(Token::number)) {
            base::Span begin = now().span;
            std::string first(word());
            ++at_;
            if (!at(Token::arrow)) {
                StateText state{first, {}, begin};
                if (at(Token::open)) state.label = inside(label());
                expect(Token::semicolon, "a semicolon after the state");
                out.states.push_back(std::move(state));
                continue;
            }
            ++at_;
            TransitionText t;
            t.from = first;
            t.from_span = begin;
            t.to_span = now().span;
            t.to = word();
            expect(Token::number, "the state that the transition leads to");
            t.span = base::cover(begin, t.to_span);
            base::Span text = label();
            expect(Token::semicolon, "a semicolon after the transition");
            read_label(text, t);
            out.transitions.push_back(std::move(t));
        }
        if (out.states.empty() && out.transitions.empty()) fail("expected a state");
    }

    // [ label = "..." ]
    base::Span label() {
        expect(Token::open, "[label=\"...\"]");
        expect_word("label");
        expect(Token::equal, "=");
        base::Span text = now().span;
        expect(Token::text, "the label in quotes");
        expect(Token::close, "]");
        return text;
    }
    std::string inside(base::Span quoted) const {
        std::string_view text = sources_.text(quoted);
        return std::string(text.size() < 2 ? "" : text.substr(1, text.size() - 2));
    }

    void read_label(base::Span quoted, TransitionText& t) {
        std::vector<Lexeme> outer =
            lex(sources_, file_, quoted.begin + 1, std::max(quoted.begin + 1, quoted.end - 1), diagnostics_);
        std::swap(outer, tokens_);
        std::size_t back = at_;
        at_ = 0;
        bool ok = true;
        try {
            if (accept(Token::open)) {
                t.guarded = true;
                t.formula = formula();
                expect(Token::close, "] after the guard");
            }
            if (at_word("skip")) {
                ++at_;
                t.skip = true;
            } else {
                t.event = event();
            }
            if (!at(Token::end)) fail("expected the end of the label");
        } catch (const Abandoned&) {
            ok = false;
        }
        std::swap(outer, tokens_);
        at_ = back;
        if (!ok) into_->broken = true;
    }

    // Expressions, loosest first: [>, |, +, ;, then guards and loops.
    std::size_t add(Term term) {
        into_->terms.push_back(std::move(term));
        return into_->terms.size() - 1;
    }
    class Deeper {
    public:
        explicit Deeper(Parser& parser) : parser_(parser) {
            if (++parser.depth_ > max_depth) {
                parser.diagnostics_.report(codes::schora_too_deep, parser.now().span, "nested too deeply");
                --parser.depth_;
                throw Abandoned{};
            }
        }
        ~Deeper() { --parser_.depth_; }

    private:
        Parser& parser_;
    };

    template <class Part>
    std::size_t list(Token separator, Term::Kind kind, Part part) {
        Span begin = now().span;
        std::vector<std::size_t> children{part()};
        while (accept(separator)) children.push_back(part());
        if (children.size() == 1) return children[0];
        return add({kind, base::cover(begin, tokens_[at_ - 1].span), std::move(children), 0, {}, {}});
    }
    std::size_t interruption() {
        Deeper deeper(*this);
        if (dialect_ == Dialect::chor) return chor_level();
        Span begin = now().span;
        std::size_t left = parallel();
        while (accept(Token::interrupt)) {
            std::size_t right = parallel();
            left = add({Term::Kind::interruption,
                        base::cover(begin, tokens_[at_ - 1].span),
                        {left, right},
                        0,
                        {},
                        {}});
        }
        return left;
    }
    std::size_t parallel() {
        return list(Token::bar, Term::Kind::parallel, [&] { return choice(); });
    }
    std::size_t choice() {
        return list(Token::plus, Term::Kind::choice, [&] { return sequence(); });
    }
    std::size_t sequence() {
        return list(Token::semicolon, Term::Kind::sequence, [&] { return guarded(); });
    }
    // In Chor + and | bind alike, from the left.
    std::size_t chor_level() {
        Span begin = now().span;
        std::size_t left = sequence();
        while (at(Token::plus) || at(Token::bar) || at(Token::disjunction)) {
            Term::Kind kind = at(Token::plus) ? Term::Kind::choice : Term::Kind::parallel;
            ++at_;
            std::size_t right = sequence();
            left = add({kind, base::cover(begin, tokens_[at_ - 1].span), {left, right}, 0, {}, {}});
        }
        return left;
    }

    std::size_t guarded() {
        Deeper deeper(*this);
        Span begin = now().span;
        if (accept(Token::left)) {
            std::size_t inner = interruption();
            expect(Token::right, "a closing parenthesis");
            return inner;
        }
        if (accept(Token::open)) {
            std::size_t condition = formula();
            expect(Token::close, "] after the guard");
            Term::Kind kind = Term::Kind::guarded;
            if (accept(Token::star))
                kind = Term::Kind::loop;
            else
                expect(Token::then, "|> or * after the guard");
            std::size_t inner = guarded();
            return add({kind, base::cover(begin, tokens_[at_ - 1].span), {inner}, condition, {}, {}});
        }
        if (at_word("skip")) {
            ++at_;
            return add({Term::Kind::skip, begin, {}, 0, {}, {}});
        }
        if (at(Token::name) && tokens_[at_ + 1].token != Token::open) {
            std::string reference = name("an event");
            return add({Term::Kind::reference, begin, {}, 0, {}, std::move(reference)});
        }
        EventText e = event();
        Span span = e.span;
        return add({Term::Kind::event, span, {}, 0, std::move(e), {}});
    }

    EventText event() {
        EventText e;
        Span begin = now().span;
        if (!at(Token::name)) fail("expected an event, as in request[b,v].<x>");
        e.operation = word();
        ++at_;
        expect(Token::open, "[ and the roles of the event");
        e.from = name("the sender");
        expect(Token::comma, "a comma between the roles");
        e.to = name("the receiver");
        expect(Token::close, "] after the roles");
        bool directed = true;
        if (accept(Token::bang))
            e.direction = EventText::Direction::send;
        else if (accept(Token::question))
            e.direction = EventText::Direction::receive;
        else
            directed = accept(Token::dot);
        if (directed) data(e);
        e.span = base::cover(begin, tokens_[at_ - 1].span);
        if (e.from == e.to)
            diagnostics_.report(codes::schora_self, e.span, fmt::format("{} sends to itself", e.from));
        return e;
    }

    void data(EventText& e) {
        if (accept(Token::less)) {
            e.data = EventText::Data::bound;
            e.variable_span = now().span;
            if (!at(Token::name)) fail("expected a variable");
            e.variable = word();
            ++at_;
            expect(Token::greater, "> after the variable");
        } else if (at(Token::name) && !at_word("end") && !at_word("component")) {
            // What is received is always bound to the variable.
            e.data =
                e.direction == EventText::Direction::receive ? EventText::Data::bound : EventText::Data::free;
            e.variable_span = now().span;
            e.variable = word();
            ++at_;
        }
    }

    // Guards.
    std::size_t formula_node(Formula f) {
        into_->formulas.push_back(std::move(f));
        return into_->formulas.size() - 1;
    }
    std::size_t formula() { return binary(0); }

    static int strength(Token op) {
        switch (op) {
            case Token::disjunction: return 1;
            case Token::conjunction: return 2;
            case Token::less:
            case Token::less_equal:
            case Token::greater:
            case Token::greater_equal:
            case Token::equal:
            case Token::not_equal: return 3;
            case Token::plus:
            case Token::minus: return 4;
            case Token::star:
            case Token::slash:
            case Token::percent: return 5;
            default: return 0;
        }
    }
    std::size_t binary(int least) {
        Deeper deeper(*this);
        Span begin = now().span;
        std::size_t left = unary();
        while (strength(now().token) > least) {
            Token op = now().token;
            ++at_;
            std::size_t right = binary(strength(op));
            left = formula_node(
                {Formula::Kind::binary, op, {}, left, right, base::cover(begin, tokens_[at_ - 1].span)});
        }
        return left;
    }
    std::size_t unary() {
        Deeper deeper(*this);
        Span span = now().span;
        std::string text(sources_.text(span));
        if (accept(Token::bang)) return formula_node({Formula::Kind::negation, {}, {}, unary(), 0, span});
        if (accept(Token::minus)) return formula_node({Formula::Kind::minus, {}, {}, unary(), 0, span});
        if (accept(Token::left)) {
            std::size_t inner = formula();
            expect(Token::right, "a closing parenthesis");
            return inner;
        }
        if (accept(Token::number)) return formula_node({Formula::Kind::number, {}, text, 0, 0, span});
        if (at(Token::text)) {
            ++at_;
            return formula_node({Formula::Kind::text, {}, inside(span), 0, 0, span});
        }
        if (!accept(Token::name)) fail("expected a value");
        bool truth = text == "true" || text == "false";
        return formula_node({truth ? Formula::Kind::truth : Formula::Kind::name, {}, text, 0, 0, span});
    }

    // Commands.
    static constexpr auto commands =
        std::to_array<std::string_view>({"showTime", "showStat", "showSTG", "showReachableSTG",
                                         "showRealizableSTG", "projection", "conformance"});
    bool at_command() const {
        return at(Token::name) && std::find(commands.begin(), commands.end(), word()) != commands.end();
    }
    bool at_mode() const {
        return at(Token::name) && std::find(modes.begin(), modes.end(), word()) != modes.end();
    }
    void skip_to_command() {
        while (!at(Token::end) && !at_command()) ++at_;
    }

    CommandText command() {
        CommandText out{std::string(word()), now().span, {}, {}};
        if (!at_command()) {
            auto& d = diagnostics_.report(codes::schora_unknown_command, now().span,
                                          fmt::format("unknown command `{}`", word()));
            std::string_view near = base::nearest(word(), {commands.begin(), commands.end()});
            d.help(near.empty() ? fmt::format("the commands are {}", fmt::join(commands, ", "))
                                : fmt::format("did you mean {}?", near));
            ++at_;
            throw Abandoned{};
        }
        ++at_;
        if (out.name == "showTime") return out;
        bool pair = out.name == "conformance";
        bool with_mode = out.name == "showRealizableSTG" || out.name == "projection";
        while (at(Token::name) && !at_command() && !at_mode() && !(pair && out.arguments.size() == 2)) {
            out.arguments.emplace_back(word(), now().span);
            ++at_;
        }
        if (out.arguments.empty()) fail("expected the name of a component");
        if (pair && out.arguments.size() != 2)
            fail("conformance needs an implementation and a specification");
        if (!with_mode) return out;
        if (!at_mode()) fail("expected SYNC, ASYNC_SENDER, ASYNC_RECEIVER or ASYNC_DISJOINT");
        out.mode = word();
        ++at_;
        return out;
    }

    const base::SourceMap& sources_;
    base::FileId file_;
    base::Diagnostics& diagnostics_;
    Dialect dialect_;
    std::vector<Lexeme> tokens_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    ComponentText* into_ = nullptr;
};

}  // namespace

ScriptText parse_script(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    return Parser(sources, file, diagnostics, Dialect::script).script();
}

ComponentText parse_chor(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    return Parser(sources, file, diagnostics, Dialect::chor).chor();
}

}  // namespace treaty::formats::schora
