#include "csp/parser.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"

#include "csp/parser_impl.h"

namespace treaty::csp {

void parse(base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics, Syntax& syntax) {
    Includes includes{sources};
    std::filesystem::path path = std::filesystem::path(sources.path(file)).lexically_normal();
    includes.files.emplace(path.string(), Includes::State::open);
    Parser(includes, file, diagnostics, syntax).script();
}

AstId parse_expression(base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics,
                       Syntax& syntax) {
    Includes includes{sources};
    return Parser(includes, file, diagnostics, syntax).lone_expression();
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
        if (token.text == "include") return include();
        for (std::string_view word : {"module", "instance", "exports", "endmodule", "Timed", "print"})
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

// The file is read where it is named, so what it declares comes before what follows.
void Parser::include() {
    take();
    Token name = peek();
    if (name.kind != TokenKind::text || name.text.size() < 3 || name.text.back() != '"')
        fail("the name of a file in quotes");
    take();
    auto refuse = [&](std::string why) {
        diagnostics_.report(codes::cannot_include, name.span, std::move(why));
    };
    std::filesystem::path beside(includes_.sources.path(file_));
    std::string path = (beside.parent_path() / name.text.substr(1, name.text.size() - 2)).lexically_normal();
    // Only what is meant to be a script is opened: no devices, nothing that reads for ever.
    std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".csp" && extension != ".cspm" && extension != ".fdr2")
        return refuse(fmt::format("{} is no .csp file", path));
    auto [state, fresh] = includes_.files.try_emplace(path, Includes::State::open);
    if (!fresh && state->second == Includes::State::open)
        return refuse(fmt::format("{} includes itself, directly or through others", path));
    if (!fresh) return;
    if (includes_.files.size() > Includes::max_files)
        return refuse(fmt::format("more than {} files are included", Includes::max_files));
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return refuse(fmt::format("there is no file {}", path));
    base::Result<std::string> read = base::read_file(path, Includes::max_bytes - includes_.bytes);
    if (!read) return refuse(read.error());
    includes_.bytes += read->size();
    base::FileId file = includes_.sources.add(path, std::move(*read));
    Parser(includes_, file, diagnostics_, syntax_).script();
    includes_.files[path] = Includes::State::done;
}

// f :: Type, as far as the next word at the margin.
void Parser::skip_type() {
    do take();
    while (peek().kind != TokenKind::end && !peek().starts_line);
}

void Parser::names_in(AstId pattern, std::vector<AstId>& into) const {
    const AstNode& node = syntax_[pattern];
    if (node.kind == Ast::name) into.push_back(pattern);
    for (AstId kid : node.kids) names_in(kid, into);
}

// (a, b) = e is a = (\ (a, b) @ a)(e) and the same for b.
void Parser::pattern_definition(Declarations& into) {
    Token begin = peek();
    AstId pattern = value(10);
    expect("=");
    AstId of = expression();
    base::Span span = from(begin.span);
    std::vector<AstId> names;
    names_in(pattern, names);
    for (AstId name : names) {
        AstId function = make(Ast::lambda, span, {pattern, name});
        AstId body = make(Ast::apply, span, {function, of});
        into.definitions.push_back({syntax_[name].name, syntax_[name].span, {{{}, body, span}}});
    }
}

void Parser::definition(Declarations& into) {
    if (peek().kind != TokenKind::name) {
        if (is("(") || is("<")) return pattern_definition(into);
        fail("a declaration");
    }
    Token name = take();
    if (is(":") && peek(1).is(":")) return skip_type();
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
    if (!goes_on) all.push_back({id, name.span, {}});
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
    } else if (accept(":[")) {
        property(made);
    } else {
        fail("[T=, [F=, [FD= or a property in :[ ]");
    }
    if (is(":[")) option(1);
    made.span = from(begin.span);
    syntax_.assertions.push_back(made);
}

// Words in a row, as they stand there: the name of an option or a property.
std::string Parser::words(std::size_t ahead) const {
    std::string found;
    for (; peek(ahead).kind == TokenKind::name || peek(ahead).kind == TokenKind::number; ++ahead)
        fmt::format_to(std::back_inserter(found), "{}{}", found.empty() ? "" : " ", peek(ahead).text);
    return found;
}

// An option of an assertion, its name so many words ahead.
void Parser::option(std::size_t ahead) {
    std::string name = words(ahead);
    if (name.empty()) fail("the name of an option");
    unsupported(peek(ahead), fmt::format("the option `{}` of an assertion", name));
}

void Parser::property(Assertion& made) {
    std::string whole = words(0);
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
        unsupported(word, fmt::format("the property `{}`", whole));
    if (made.asked == Asked::has_trace) {
        if (expect_name("`trace`").text != "trace") fail("`trace`");
        made.model = model_in_brackets(made);
        made.right = expression();
        return;
    }
    if (made.asked != Asked::deterministic) {
        accept("-");
        if (expect_name("`free`").text != "free") fail("`free`");
    }
    made.model = model_in_brackets(made);
}

// What other checkers look at beside traces, failures and divergences.
std::string Parser::model_name(std::string_view letters) {
    std::string_view full = letters == "V"    ? " (revivals)"
                            : letters == "VD" ? " (revivals and divergences)"
                            : letters == "R"  ? " (refusals)"
                            : letters == "RD" ? " (refusals and divergences)"
                                              : "";
    return fmt::format("the model `{}`{}", letters, full);
}

// [FD]] or ]: the model in brackets may be missing. A trace follows behind a colon.
std::string_view Parser::model_in_brackets(Assertion& made) {
    std::string_view model = "";
    bool colon = made.asked == Asked::has_trace;
    if (accept("[")) {
        Token name = expect_name("T, F or FD");
        if (name.text != "T" && name.text != "F" && name.text != "FD")
            unsupported(name, model_name(name.text));
        bool seen =
            made.asked == Asked::has_trace || made.asked == Asked::divergence_free || name.text != "T";
        if (!seen)
            unsupported(name, fmt::format("{} in the model `T`, which does not see refusals,",
                                          made.asked == Asked::deterministic ? "determinism" : "deadlock"));
        model = name.text;
        if (!accept("]]")) {
            expect("]");
            if (colon && accept("]:")) return model;
            if (!colon && is("]:") && peek(1).is("[")) option(2);
            expect("]");
        }
        if (colon) expect(":");
        return model;
    }
    if (!colon && is("]:") && peek(1).is("[")) option(2);
    expect(colon ? "]:" : "]");
    return model;
}

}  // namespace treaty::csp
