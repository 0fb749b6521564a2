#include "csp/parser.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <absl/container/flat_hash_set.h>

#include "base/file.h"
#include "csp/parser_impl.h"

namespace treaty::csp {

void parse(base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics, Syntax& syntax) {
    Includes includes{sources};
    std::filesystem::path path = std::filesystem::path(sources.path(file)).lexically_normal();
    includes.files.emplace(path.string(), Includes::State::open);
    Parser(includes, file, diagnostics, syntax).script();
    // In a pattern channels and constructors are themselves: they are not defined by it.
    absl::flat_hash_set<base::NameId> constants;
    for (const ChannelDeclaration& c : syntax.channels) constants.insert(c.name);
    for (const DatatypeDeclaration& type : syntax.datatypes)
        for (const Constructor& c : type.constructors) constants.insert(c.name);
    auto constant = [&](const Definition& d) { return d.by_pattern && constants.contains(d.name); };
    std::erase_if(syntax.global.definitions, constant);
    for (Declarations& let : syntax.lets) std::erase_if(let.definitions, constant);
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

// The next word that is at the very beginning of a line.
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
    std::uint32_t depth = 0;
    for (AstId kid : kids) depth = std::max(depth, syntax_[kid].depth);
    if (kind == Ast::let)
        for (const Definition& d : syntax_.lets[static_cast<std::size_t>(number)].definitions)
            for (const Clause& clause : d.clauses) depth = std::max(depth, syntax_[clause.body].depth);
    if (++depth > max_tree) {
        diagnostics_.report(codes::too_large, span, fmt::format("nested more than {} deep", max_tree));
        throw Fault{};
    }
    syntax_.nodes.push_back({kind, op, {}, number, span, std::move(kids), depth});
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
        if (token.text == "module") return module();
        if (token.text == "instance") return instance();
        if (token.text == "exports" && in_module_) return void(take());
        if (token.text == "Timed") return timed();
        if (token.text == "print") return print();
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
    // Only files with the extension of a script are opened: no devices, nothing endless.
    std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".csp" && extension != ".cspm" && extension != ".fdr2")
        return refuse(fmt::format("{} is not a .csp file", path));
    auto [state, fresh] = includes_.files.try_emplace(path, Includes::State::open);
    if (!fresh && state->second == Includes::State::open)
        return refuse(fmt::format("{} includes itself, directly or through others", path));
    if (!fresh) return;
    if (includes_.files.size() > Includes::max_files)
        return refuse(fmt::format("more than {} files are included", Includes::max_files));
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return refuse(fmt::format("no such file: {}", path));
    base::Result<std::string> read = base::read_file(path, Includes::max_bytes - includes_.bytes);
    if (!read) return refuse(read.error());
    includes_.bytes += read->size();
    base::FileId file = includes_.sources.add(path, std::move(*read));
    Parser(includes_, file, diagnostics_, syntax_).script();
    includes_.files[path] = Includes::State::done;
}

void Parser::print() {
    Token begin = take();
    expression();
    diagnostics_.report(codes::no_meaning, from(begin.span), "`print` shows a value and is left out");
}

// Timed (f) { ... }: the whole section is one fault.
void Parser::timed() {
    diagnostics_.report(codes::unsupported, peek().span, "a timed section (`Timed`) is not supported");
    take();
    while (peek().kind != TokenKind::end && !is("{")) take();
    int open = 0;
    do {
        if (is("{") || is("{|")) ++open;
        if (is("}") || is("|}")) --open;
        take();
    } while (open > 0 && peek().kind != TokenKind::end);
}

// module M(p, q) ... exports ... endmodule. Without parameters it is its own instance.
void Parser::module() {
    take();
    Token name = expect_name("the name of a module");
    Includes::Module made;
    made.file = file_;
    if (accept("(")) {
        do made.parameters.push_back(expect_name("a parameter"));
        while (accept(","));
        expect(")");
    }
    for (int open = 1;; take()) {
        if (peek().kind == TokenKind::end) fail("`endmodule`");
        if (is("module")) ++open;
        if (is("endmodule") && --open == 0) break;
        made.body.push_back(peek());
    }
    Token end = take();
    made.body.push_back({TokenKind::end, {}, end.span, true});
    if (made.parameters.empty()) instantiate(name, made, {});
    includes_.modules.insert_or_assign(std::string(name.text), std::move(made));
}

// instance I = M(e, f)
void Parser::instance() {
    take();
    Token name = expect_name("the name of an instance");
    expect("=");
    Token of = expect_name("the name of a module");
    std::vector<AstId> arguments;
    if (accept("(")) arguments = list(")");
    auto found = includes_.modules.find(std::string(of.text));
    auto refuse = [&](std::string why) {
        diagnostics_.report(codes::unknown_module, of.span, std::move(why));
        throw Fault{};
    };
    if (found == includes_.modules.end()) refuse(fmt::format("unknown module `{}`", of.text));
    if (found->second.parameters.size() != arguments.size())
        refuse(fmt::format("`{}` takes {} arguments, not {}", of.text, found->second.parameters.size(),
                           arguments.size()));
    instantiate(name, Includes::Module(found->second), arguments);
}

// Reads the module's text as if it stood here, and then puts the instance's name before every name that was
// declared: also where it is used, or where a parameter has the same name, so that what hides what stays as
// it is.
void Parser::instantiate(const Token& name, const Includes::Module& module,
                         const std::vector<AstId>& arguments) {
    includes_.module_tokens += module.body.size();
    if (includes_.module_depth >= Includes::max_module_depth ||
        includes_.module_tokens > Includes::max_module_tokens) {
        diagnostics_.report(codes::too_large, name.span, "instances of modules are nested too deeply");
        throw Fault{};
    }
    std::size_t nodes = syntax_.nodes.size(), channels = syntax_.channels.size(),
                types = syntax_.types.size();
    std::size_t datatypes = syntax_.datatypes.size(), lets = syntax_.lets.size();
    std::size_t definitions = syntax_.global.definitions.size();
    std::size_t annotations = syntax_.global.annotations.size(), type_nodes = syntax_.type_nodes.size();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Token& p = module.parameters[i];
        syntax_.global.definitions.push_back({name_of(p), p.span, {{{}, arguments[i], p.span}}});
    }
    ++includes_.module_depth;
    Parser(includes_, module, diagnostics_, syntax_).script();
    --includes_.module_depth;

    absl::flat_hash_map<base::NameId, base::NameId> renamed;
    auto declare = [&](base::NameId& id) {
        auto [it, added] = renamed.try_emplace(id);
        if (added)
            it->second = syntax_.names.intern(fmt::format("{}::{}", name.text, syntax_.names.text(id)));
        id = it->second;
    };
    auto use = [&](base::NameId& id) {
        if (auto it = renamed.find(id); it != renamed.end()) id = it->second;
    };
    for (std::size_t i = channels; i < syntax_.channels.size(); ++i) declare(syntax_.channels[i].name);
    for (std::size_t i = types; i < syntax_.types.size(); ++i) declare(syntax_.types[i].name);
    for (std::size_t i = datatypes; i < syntax_.datatypes.size(); ++i) {
        declare(syntax_.datatypes[i].name);
        if (syntax_.datatypes[i].subtype) continue;
        for (Constructor& c : syntax_.datatypes[i].constructors) declare(c.name);
    }
    for (std::size_t i = definitions; i < syntax_.global.definitions.size(); ++i)
        declare(syntax_.global.definitions[i].name);
    for (std::size_t i = datatypes; i < syntax_.datatypes.size(); ++i)
        if (syntax_.datatypes[i].subtype)
            for (Constructor& c : syntax_.datatypes[i].constructors) use(c.name);
    for (std::size_t i = annotations; i < syntax_.global.annotations.size(); ++i)
        use(syntax_.global.annotations[i].name);
    for (std::size_t i = type_nodes; i < syntax_.type_nodes.size(); ++i)
        if (syntax_.type_nodes[i].kind == TypeNode::Kind::name) use(syntax_.type_nodes[i].name);
    for (std::size_t i = lets; i < syntax_.lets.size(); ++i) {
        for (Definition& d : syntax_.lets[i].definitions) use(d.name);
        for (Annotation& a : syntax_.lets[i].annotations) use(a.name);
    }
    for (std::size_t i = nodes; i < syntax_.nodes.size(); ++i)
        if (syntax_.nodes[i].kind == Ast::name) use(syntax_.nodes[i].name);
}

void Parser::names_in(AstId pattern, std::vector<AstId>& into) const {
    const AstNode& node = syntax_[pattern];
    if (node.kind == Ast::name) into.push_back(pattern);
    for (AstId kid : node.kids) names_in(kid, into);
}

// (a, b) = e is a = (\ (a, b) @ a)(e) and the same for b.
void Parser::pattern_definition(Declarations& into) {
    Token begin = peek();
    AstId pattern = dotted();
    expect("=");
    AstId of = expression();
    base::Span span = from(begin.span);
    std::vector<AstId> names;
    names_in(pattern, names);
    for (AstId name : names) {
        AstId function = make(Ast::lambda, span, {pattern, name});
        AstId body = make(Ast::apply, span, {function, of});
        into.definitions.push_back({syntax_[name].name, syntax_[name].span, {{{}, body, span}}, true});
    }
}

void Parser::definition(Declarations& into) {
    if (peek().kind != TokenKind::name) {
        if (is("(") || is("<") || is("{")) return pattern_definition(into);
        fail("a declaration");
    }
    if (peek(1).is(".")) return pattern_definition(into);
    Token name = take();
    std::vector<Token> names{name};
    if (several_annotated()) {
        while (accept(",")) names.push_back(take());
        name = names.back();
    }
    if (is(":") && peek(1).is(":")) {
        take();
        take();
        return annotation(into, names);
    }
    if (std::size_t cut = name.text.find("::"); cut != std::string_view::npos) {  // f::Type is one word
        Token& type = tokens_[--at_];
        type.text.remove_prefix(cut + 2);
        type.span.begin += static_cast<std::uint32_t>(cut + 2);
        type.starts_line = false;
        name.text = name.text.substr(0, cut);
        name.span.end = name.span.begin + static_cast<std::uint32_t>(cut);
        names.back() = name;
        return annotation(into, names);
    }
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
    bool goes_on = all.size() > (&into == &syntax_.global ? first_definition_ : 0) && all.back().name == id &&
                   !clause.parameters.empty() && !all.back().clauses.front().parameters.empty();
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

// Consecutive words as written: the name of an option or a property.
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

// Models of other checkers besides traces, failures and divergences.
std::string Parser::model_name(std::string_view letters) {
    std::string_view full = letters == "V"    ? " (revivals)"
                            : letters == "VD" ? " (revivals and divergences)"
                            : letters == "R"  ? " (refusals)"
                            : letters == "RD" ? " (refusals and divergences)"
                                              : "";
    return fmt::format("the model `{}`{}", letters, full);
}

// [FD]] or ]: the model in brackets may be missing. A trace follows after a colon.
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
