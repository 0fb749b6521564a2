#include "csp/parser.h"

#include <algorithm>
#include <array>

#include "csp/parser_impl.h"

namespace treaty::csp {

void parse(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics,
           Syntax& syntax) {
    Parser(sources, file, diagnostics, syntax).script();
}

AstId parse_expression(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics,
                       Syntax& syntax) {
    return Parser(sources, file, diagnostics, syntax).lone_expression();
}

void Parser::script() {
    while (peek().kind != TokenKind::end) {
        std::size_t begin = at_;
        try {
            declaration();
        } catch (const Fault&) {
            if (at_ == begin) take();
            recover();
        }
    }
}

AstId Parser::lone_expression() {
    try {
        AstId found = expression();
        if (peek().kind != TokenKind::end) fail("the end of the expression");
        return found;
    } catch (const Fault&) {
        return {};
    }
}

// The next word that stands at the very beginning of a line.
void Parser::recover() {
    while (peek().kind != TokenKind::end) {
        const Token& token = peek();
        bool first = token.span.begin == 0 || text_[token.span.begin - 1] == '\n';
        if (first && (token.kind == TokenKind::name || token.kind == TokenKind::keyword)) return;
        take();
    }
}

void Parser::fail(std::string_view wanted) {
    const Token& token = peek();
    std::string found =
        token.kind == TokenKind::end ? "the end of the file" : fmt::format("`{}`", token.text);
    diagnostics_.report(codes::expected, token.span, fmt::format("expected {}, found {}", wanted, found));
    throw Fault{};
}

void Parser::unsupported(const Token& at, std::string_view what) {
    diagnostics_.report(codes::unsupported, at.span, fmt::format("{} is not supported", what));
    throw Fault{};
}

Token Parser::expect(std::string_view word) {
    if (!is(word)) fail(fmt::format("`{}`", word));
    return take();
}

Token Parser::expect_name(std::string_view what) {
    if (peek().kind != TokenKind::name) fail(what);
    return take();
}

AstId Parser::make(Ast kind, base::Span span, std::vector<AstId> kids, Op op, std::int64_t number) {
    syntax_.nodes.push_back({kind, op, {}, number, span, std::move(kids)});
    return AstId(syntax_.nodes.size() - 1);
}

void Parser::declaration() {
    const Token& token = peek();
    if (token.kind == TokenKind::keyword) {
        if (token.text == "channel") return channels();
        if (token.text == "datatype" || token.text == "subtype") return datatype(token.text == "subtype");
        if (token.text == "nametype") return nametype();
        if (token.text == "transparent" || token.text == "external") return transparent();
        if (token.text == "assert") return assertion();
        for (std::string_view word :
             {"include", "module", "instance", "exports", "endmodule", "Timed", "print"})
            if (token.text == word) unsupported(token, fmt::format("`{}`", word));
    }
    definition(syntax_.global);
}

void Parser::channels() {
    take();
    std::vector<Token> names;
    do names.push_back(expect_name("the name of a channel"));
    while (accept(","));
    AstId type;
    if (accept(":")) type = dotted();
    for (const Token& name : names) syntax_.channels.push_back({name_of(name), name.span, type});
}

void Parser::datatype(bool subtype) {
    take();
    Token name = expect_name("the name of a datatype");
    DatatypeDeclaration made{name_of(name), name.span, {}, subtype};
    expect("=");
    do {
        Token constructor = expect_name("a constructor");
        Constructor c{name_of(constructor), constructor.span, {}};
        if (accept(".")) c.type = dotted();
        made.constructors.push_back(c);
    } while (accept("|"));
    syntax_.datatypes.push_back(std::move(made));
}

void Parser::nametype() {
    take();
    Token name = expect_name("the name of a type");
    expect("=");
    syntax_.types.push_back({name_of(name), name.span, dotted()});
}

// Compressions keep the meaning of a process; other external functions do not.
void Parser::transparent() {
    static constexpr auto known = std::to_array<std::string_view>(
        {"normal", "normalise", "sbisim", "wbisim", "dbisim", "diamond", "explicate", "tau_loop_factor",
         "lazyenumerate", "model_compress", "sbdia"});
    take();
    do {
        Token name = expect_name("the name of a function");
        if (std::find(known.begin(), known.end(), name.text) == known.end())
            unsupported(name, fmt::format("the function `{}`", name.text));
        syntax_.transparent.push_back(name_of(name));
    } while (accept(","));
}

void Parser::definition(Declarations& into) {
    if (peek().kind != TokenKind::name) {
        if (is("(") || is("<")) unsupported(peek(), "a definition by a pattern instead of a name");
        fail("a declaration");
    }
    Token name = take();
    if (is(":") && peek(1).is(":")) unsupported(peek(), "a type annotation");
    Clause clause;
    while (is("(")) {
        take();
        Angles angles(*this, false);
        clause.parameters.push_back(list(")"));
    }
    if (!is("=")) fail(clause.parameters.empty() ? "`=` or `(`" : "`=`");
    take();
    clause.body = expression();
    clause.span = from(name.span);
    base::NameId id = name_of(name);
    auto& all = into.definitions;
    bool goes_on = !all.empty() && all.back().name == id && !clause.parameters.empty() &&
                   !all.back().clauses.front().parameters.empty();
    if (!goes_on) all.push_back({id, name.span, {}, {}});
    all.back().clauses.push_back(std::move(clause));
}

void Parser::assertion() {
    Token begin = take();
    Assertion made;
    made.negated = accept("not");
    made.left = expression();
    if (is("[T=") || is("[F=") || is("[FD=")) {
        std::string_view op = take().text;
        made.model = op.substr(1, op.size() - 2);
        made.right = expression();
        if (is(":[")) unsupported(peek(), "an option of an assertion, such as tau priority,");
    } else if (accept(":[")) {
        property(made);
    } else {
        fail("[T=, [F=, [FD= or a property in :[ ]");
    }
    made.span = from(begin.span);
    syntax_.assertions.push_back(made);
}

void Parser::property(Assertion& made) {
    Token word = expect_name("a property");
    if (word.text == "deadlock")
        made.asked = Asked::deadlock_free;
    else if (word.text == "divergence" || word.text == "livelock")
        made.asked = Asked::divergence_free;
    else if (word.text == "deterministic")
        made.asked = Asked::deterministic;
    else if (word.text == "has")
        made.asked = Asked::has_trace;
    else
        unsupported(word, fmt::format("the property `{}`", word.text));
    if (made.asked == Asked::has_trace) {
        if (expect_name("`trace`").text != "trace") fail("`trace`");
        made.model = model_in_brackets(made);
        made.right = expression();
        return;
    }
    if (made.asked != Asked::deterministic && expect_name("`free`").text != "free") fail("`free`");
    made.model = model_in_brackets(made);
}

// [FD]] or ]: the model in brackets may be missing. A trace follows behind a colon.
std::string_view Parser::model_in_brackets(Assertion& made) {
    std::string_view model = "";
    bool colon = made.asked == Asked::has_trace;
    if (accept("[")) {
        Token name = expect_name("T, F or FD");
        if (name.text != "T" && name.text != "F" && name.text != "FD")
            unsupported(name, fmt::format("the model `{}`", name.text));
        model = name.text;
        if (!accept("]]")) {
            expect("]");
            if (colon && accept("]:")) return model;
            expect("]");
        }
        if (colon) expect(":");
        return model;
    }
    if (colon)
        expect("]:");
    else
        expect("]");
    return model;
}

}  // namespace treaty::csp
