#include "lang/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.h"
#include "lang/codes.h"
#include "lang/parser_impl.h"

namespace treaty::lang {

Syntax parse(const base::SourceMap& sources, base::FileId file, base::Names& names,
             base::Diagnostics& diagnostics) {
    return parse_into({}, sources, file, names, diagnostics);
}

Syntax parse_into(Syntax before, const base::SourceMap& sources, base::FileId file, base::Names& names,
                  base::Diagnostics& diagnostics) {
    TokenList tokens = lex(sources, file, names, diagnostics);
    return Parser(sources, file, std::move(tokens), names, diagnostics).run(std::move(before));
}

Parser::Parser(const base::SourceMap& sources, base::FileId file, TokenList tokens, base::Names& names,
               base::Diagnostics& diagnostics)
    : sources_(sources),
      file_(file),
      tokens_(std::move(tokens.tokens)),
      faults_(std::move(tokens.faults)),
      cut_off_(tokens.cut_off),
      names_(names),
      diagnostics_(diagnostics) {
    comments_ = std::move(tokens.comments);
}

Syntax Parser::run(Syntax before) {
    out_ = std::move(before);
    out_.file = file_;
    out_.comments = std::move(comments_);
    while (!at(TokenKind::end_of_file)) item();
    return std::move(out_);
}

// --- cursor

const Token& Parser::peek(std::size_t ahead) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token Parser::take() {
    Token token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    previous_end_ = token.end;
    return token;
}

bool Parser::accept(TokenKind k) {
    if (!at(k)) return false;
    take();
    return true;
}

Span Parser::after_previous() const {
    return {file_, previous_end_, previous_end_};
}

// --- faults and recovery

std::string Parser::found() const {
    const Token& t = peek();
    if (t.kind == TokenKind::end_of_file) return "the end of the file";
    std::string_view text = sources_.text(span_of(t));
    if (text.size() > 40) return std::string(describe(t.kind));
    return fmt::format("`{}`", text);
}

bool Parser::damaged(Span span) const {
    auto first = std::lower_bound(faults_.begin(), faults_.end(), span.begin);
    if (first == faults_.end()) return false;
    // A bad token soon after the end, on the same line, may be where the step was meant to go on.
    constexpr std::size_t near = 8;
    for (std::size_t ahead = 0; *first >= span.end; ++ahead) {
        if (ahead == near || peek(ahead).first_on_line || kind(ahead) == TokenKind::end_of_file)
            return *first < peek(ahead).begin;
        span.end = peek(ahead).end;
    }
    return true;
}

bool Parser::hidden(Span span) const {
    if (cut_off_ && at(TokenKind::end_of_file)) return true;
    auto after = std::upper_bound(faults_.begin(), faults_.end(), span.begin);
    if (after == faults_.begin()) return false;
    return sources_.line_number(file_, *(after - 1)) == sources_.line_number(file_, span.begin);
}

base::Diagnostic& Parser::report(const base::Code& code, Span span, std::string message) {
    return (hidden(span) ? muted_ : diagnostics_).report(code, span, std::move(message));
}

bool Parser::fail(std::string what, std::string hint) {
    // Something missing at a line's end is missing there, not at the start of the next line.
    bool line_ended = peek().first_on_line && previous_end_ > 0;
    if (!line_ended) return fail_here(std::move(what), std::move(hint));
    std::string instead = at(TokenKind::end_of_file) ? found() : "the end of the line";
    report(codes::expected, after_previous(), fmt::format("expected {}, found {}", what, instead))
        .help(std::move(hint));
    return false;
}

bool Parser::fail_here(std::string what, std::string hint) {
    report(codes::expected, here(), fmt::format("expected {}, found {}", what, found()))
        .help(std::move(hint));
    return false;
}

bool Parser::expect(TokenKind k, std::string_view what, std::string hint) {
    if (accept(k)) return true;
    return fail(std::string(what), std::move(hint));
}

bool Parser::expect_name(Name& name, std::string_view what, bool any_word) {
    const Token& t = peek();
    if (t.kind == TokenKind::name || (any_word && is_word(t.kind))) {
        name = {t.name, span_of(t)};
        take();
        return true;
    }
    std::string hint;
    if (is_keyword(t.kind))
        hint = fmt::format("`{}` is a keyword and cannot be a name here", names_.text(t.name));
    return fail(std::string(what), std::move(hint));
}

bool Parser::begins_item() const {
    return begins_declaration(kind()) && peek().first_on_line;
}

std::uint32_t Parser::indent_of(std::uint32_t offset) const {
    constexpr std::uint32_t deep_enough = 1000;
    std::uint32_t start = sources_.line_start(file_, offset);
    std::string_view line = sources_.text(file_).substr(start, deep_enough);
    return static_cast<std::uint32_t>(std::min(line.find_first_not_of(" \t"), line.size()));
}

void Parser::lose(std::size_t first_token) {
    for (std::size_t i = first_token; i < next_; ++i)
        if (is_word(tokens_[i].kind)) out_.lost.push_back(tokens_[i].name);
}

void Parser::skip_block() {
    std::size_t depth = 0;
    do {
        if (at(TokenKind::left_brace)) ++depth;
        if (at(TokenKind::right_brace)) --depth;
        take();
    } while (depth > 0 && !at(TokenKind::end_of_file));
}

void Parser::skip_line() {
    while (!at(TokenKind::end_of_file) && !at(TokenKind::right_brace)) {
        if (at(TokenKind::left_brace))
            skip_block();
        else
            take();
        if (peek().first_on_line) return;
    }
}

bool Parser::skip_to_brace() {
    while (!at(TokenKind::left_brace)) {
        if (at(TokenKind::end_of_file) || at(TokenKind::right_brace) || peek().first_on_line) return false;
        take();
    }
    return true;
}

void Parser::skip_to_item() {
    while (!at(TokenKind::end_of_file) && !begins_item() && !misspelt_item()) {
        if (at(TokenKind::left_brace))
            skip_block();
        else
            take();
    }
}

// --- declarations

void Parser::item() {
    unclosed_ = false;
    suspect_ = {};
    bool read = false;
    std::size_t first_token = next_;
    NameId declared = is_word(kind(1)) ? peek(1).name : NameId();
    switch (kind()) {
        case TokenKind::kw_message: read = message(); break;
        case TokenKind::kw_enum: read = enumeration(); break;
        case TokenKind::kw_record: read = record(); break;
        case TokenKind::kw_type: read = alias(); break;
        case TokenKind::kw_const: read = constant(); break;
        case TokenKind::kw_function: read = function(false); break;
        case TokenKind::kw_predicate: read = function(true); break;
        case TokenKind::kw_protocol: read = protocol(); break;
        case TokenKind::kw_wire: read = wire(); break;
        case TokenKind::kw_property: read = property(); break;
        case TokenKind::right_brace:
            report(codes::unexpected_item, here(), "this `}` closes nothing")
                .help("remove it, or look for a block that ends too early above");
            take();
            return skip_to_item();
        default:
            if (at_word("import") && kind(1) == TokenKind::string)
                read = import();
            else
                unexpected_item();
            break;
    }
    if (read && !unclosed_) return;
    if (declared) out_.broken.push_back(declared);
    if (!unclosed_) skip_to_item();
    lose(first_token);
}

// The word that may be meant where a declaration should begin; none if nothing is near enough.
std::string_view Parser::meant_item() const {
    static const std::vector<std::string_view> beginnings{"message", "enum",     "record",    "type",
                                                          "const",   "function", "predicate", "protocol",
                                                          "wire",    "property"};
    return at(TokenKind::name) ? base::nearest(names_.text(peek().name), beginnings) : std::string_view();
}

bool Parser::misspelt_item() const {
    return peek().first_on_line && at(TokenKind::name) && kind(1) == TokenKind::name && !meant_item().empty();
}

void Parser::unexpected_item() {
    if (at(TokenKind::name))
        out_.broken.push_back(peek().name);  // perhaps only the word before it is missing
    std::string_view meant = meant_item();
    report(codes::unexpected_item, here(), fmt::format("expected a declaration, found {}", found()))
        .help(meant.empty() ? "a file consists of message, enum, record, type, const, function, "
                              "predicate, protocol, wire and property"
                            : fmt::format("did you mean `{}`?", meant));
    take();
}

bool Parser::import() {
    ImportSyntax i;
    std::uint32_t begin = take().begin;
    i.path = span_of(take());
    i.span = from(begin);
    bool more = !peek().first_on_line && !at(TokenKind::end_of_file);
    if (more && !begins_declaration(kind())) return fail("the end of the line");
    out_.items.push_back({ItemKind::import, static_cast<std::uint32_t>(out_.imports.size())});
    out_.imports.push_back(i);
    return true;
}

bool Parser::message() {
    MessageSyntax m;
    std::uint32_t begin = take().begin;
    if (peek().first_on_line) return fail("the message's name");
    if (!expect_name(m.name, "the message's name", true)) return false;
    if (accept(TokenKind::left_paren) && !fields(m.fields, TokenKind::right_paren, "the message's fields"))
        return false;
    if (accept(TokenKind::kw_where) && !expression(m.where)) return false;
    m.span = from(begin);
    bool more = !peek().first_on_line && !at(TokenKind::end_of_file);
    if (more && !begins_declaration(kind())) return fail("`(` and the fields, or the end of the declaration");
    out_.items.push_back({ItemKind::message, static_cast<std::uint32_t>(out_.messages.size())});
    out_.messages.push_back(m);
    return true;
}

bool Parser::enumeration() {
    EnumSyntax e;
    std::uint32_t begin = take().begin;
    if (!expect_name(e.name, "the enumeration's name")) return false;
    if (!expect(TokenKind::left_brace, "`{` and the members")) return false;
    if (!name_list(e.members, "a member's name")) return false;
    if (!expect(TokenKind::right_brace, "`,` or `}`")) return false;
    e.span = from(begin);
    out_.items.push_back({ItemKind::enumeration, static_cast<std::uint32_t>(out_.enums.size())});
    out_.enums.push_back(e);
    return true;
}

bool Parser::record() {
    RecordSyntax r;
    std::uint32_t begin = take().begin;
    if (!expect_name(r.name, "the record's name")) return false;
    if (!expect(TokenKind::left_brace, "`{` and the fields")) return false;
    if (!fields(r.fields, TokenKind::right_brace, "the record's fields")) return false;
    r.span = from(begin);
    out_.items.push_back({ItemKind::record, static_cast<std::uint32_t>(out_.records.size())});
    out_.records.push_back(r);
    return true;
}

bool Parser::alias() {
    AliasSyntax a;
    std::uint32_t begin = take().begin;
    if (!expect_name(a.name, "the type's name")) return false;
    if (!expect(TokenKind::assign, "`=` and a type")) return false;
    if (!type(a.type)) return false;
    a.span = from(begin);
    out_.items.push_back({ItemKind::alias, static_cast<std::uint32_t>(out_.aliases.size())});
    out_.aliases.push_back(a);
    return true;
}

bool Parser::constant() {
    ConstantSyntax k;
    std::uint32_t begin = take().begin;
    if (!expect_name(k.name, "the constant's name")) return false;
    if (accept(TokenKind::colon) && !type(k.type)) return false;
    if (!expect(TokenKind::assign, k.type ? "`=` and a value" : "`:` and a type, or `=` and a value"))
        return false;
    if (!expression(k.value)) return false;
    k.span = from(begin);
    out_.items.push_back({ItemKind::constant, static_cast<std::uint32_t>(out_.constants.size())});
    out_.constants.push_back(k);
    return true;
}

bool Parser::function(bool predicate) {
    FunctionSyntax f;
    std::uint32_t begin = take().begin;
    if (!expect_name(f.name, predicate ? "the predicate's name" : "the function's name")) return false;
    if (!expect(TokenKind::left_paren, "`(` and the parameters")) return false;
    if (!fields(f.fields, TokenKind::right_paren, "the parameters")) return false;
    if (!predicate) {
        if (!expect(TokenKind::colon, "`:` and the result's type")) return false;
        if (!type(f.result)) return false;
    }
    if (!expect(TokenKind::assign, "`=` and an expression")) return false;
    if (!expression(f.body)) return false;
    f.span = from(begin);
    out_.items.push_back({ItemKind::function, static_cast<std::uint32_t>(out_.functions.size())});
    out_.functions.push_back(f);
    return true;
}

bool Parser::protocol() {
    ProtocolSyntax p;
    std::uint32_t begin = take().begin;
    bool head = expect_name(p.name, "the protocol's name") &&
                expect(TokenKind::left_paren, "`(` and the roles") && roles_and_parameters(p) &&
                expect(TokenKind::right_paren, "`,` or `)`");
    if (head && !at(TokenKind::left_brace)) head = fail("`{` and the steps");
    p.span = from(begin);
    if (!head && !skip_to_brace()) return false;
    if (!block(p.body)) return false;
    // A protocol whose head is wrong, or whose end is missing, is read for its own faults, but not kept: what
    // it would mean is unknown.
    if (!head || unclosed_) return false;
    out_.items.push_back({ItemKind::protocol, static_cast<std::uint32_t>(out_.protocols.size())});
    out_.protocols.push_back(p);
    return true;
}

bool Parser::roles_and_parameters(ProtocolSyntax& p) {
    std::vector<Name> roles;
    std::vector<FieldSyntax> parameters;
    do {
        if (at(TokenKind::kw_let) || kind(1) == TokenKind::colon || !parameters.empty()) {
            FieldSyntax f;
            f.handed_back = accept(TokenKind::kw_let);
            if (!expect_name(f.name, "a value's name")) return false;
            if (!expect(TokenKind::colon, "`:` and a type", "the roles come first, then values: name: type"))
                return false;
            if (!type(f.type)) return false;
            parameters.push_back(f);
        } else if (!expect_name(roles.emplace_back(), "a role"))
            return false;
    } while (accept(TokenKind::comma));
    p.roles = append(out_.names, roles);
    p.parameters = append(out_.fields, parameters);
    return true;
}

bool Parser::name_list(Range& out, std::string_view what, bool any_word) {
    std::vector<Name> names;
    do {
        Name name;
        if (!expect_name(name, what, any_word)) return false;
        names.push_back(name);
    } while (accept(TokenKind::comma));
    out = append(out_.names, names);
    return true;
}

bool Parser::parenthesised_names(Range& out, std::string_view what, bool any_word) {
    if (!expect(TokenKind::left_paren, fmt::format("`(` and {}", what))) return false;
    if (accept(TokenKind::right_paren)) return true;
    return name_list(out, what, any_word) && expect(TokenKind::right_paren, "`,` or `)`");
}

bool Parser::fields(Range& out, TokenKind close, std::string_view what) {
    std::vector<FieldSyntax> fields;
    if (!at(close)) {
        do {
            if (at(close)) break;  // a comma before the end is allowed
            FieldSyntax f;
            if (!expect_name(f.name, what, true)) return false;
            if (!expect(TokenKind::colon, "`:` and a type", "a field is written name: type")) return false;
            if (!type(f.type)) return false;
            fields.push_back(f);
        } while (accept(TokenKind::comma));
    }
    if (!expect(close, close == TokenKind::right_paren ? "`,` or `)`" : "`,` or `}`")) return false;
    out = append(out_.fields, fields);
    return true;
}

bool Parser::type(TypeSyntaxId& out) {
    if (++expression_depth_ > max_expression_depth) {
        --expression_depth_;
        report(codes::nested_too_deeply, here(),
               fmt::format("types are nested deeper than {} levels", max_expression_depth));
        return false;
    }
    TypeSyntax t;
    std::uint32_t begin = peek().begin;
    // `optional` is a word of the language and also the name of a type.
    bool read = expect_name(t.name, "a type", at(TokenKind::kw_optional));
    if (read && accept(TokenKind::less)) {
        read = type(t.element);
        if (read && accept(TokenKind::comma)) {
            t.key = t.element;
            read = type(t.element);
        }
        read = read && expect(TokenKind::greater, "`>`");
    }
    if (read && accept(TokenKind::kw_in)) {
        read =
            sum(t.low) &&
            expect(TokenKind::dot_dot, "`..` and the greatest value", "a range is written int in 0..255") &&
            sum(t.high);
    }
    --expression_depth_;
    if (!read) return false;
    t.span = from(begin);
    out_.types.push_back(t);
    out = TypeSyntaxId(out_.types.size() - 1);
    return true;
}

// --- properties

bool Parser::property() {
    PropertySyntax p;
    std::uint32_t begin = take().begin;
    if (!expect_name(p.name, "the property's name")) return false;
    p.global = at(TokenKind::colon);
    if (!(p.global ? global_property(p) : local_property(p))) return false;
    p.span = from(begin);
    out_.items.push_back({ItemKind::property, static_cast<std::uint32_t>(out_.properties.size())});
    out_.properties.push_back(p);
    return true;
}

bool Parser::global_property(PropertySyntax& p) {
    take();
    if (!name_list(p.premises, "a property")) return false;
    if (!expect(TokenKind::kw_implies, "`implies`")) return false;
    p.negated = accept(TokenKind::kw_not);
    return name_list(p.conclusions, "a property");
}

bool Parser::local_property(PropertySyntax& p) {
    if (!expect(TokenKind::kw_at, "`at` and a role, or `:` and other properties")) return false;
    if (!expect_name(p.at, "a role")) return false;
    if (!expect(TokenKind::left_brace, "`{`")) return false;
    std::vector<PatternSyntax> after, then;
    bool fine = true;
    while (!at(TokenKind::right_brace)) {
        if (at(TokenKind::end_of_file) || begins_item()) {
            report(codes::unclosed_block, p.name.span, "this property is never closed")
                .help("add the missing `}`");
            unclosed_ = true;
            return false;
        }
        std::size_t before = next_;
        if (property_clause(p, after, then)) continue;
        fine = false;
        if (next_ == before || !peek().first_on_line) skip_line();
    }
    take();
    if (!fine) return false;
    if (then.empty())
        return report(codes::property_without_consequence, p.name.span,
                      "this property has no `expect` or `forbid`")
                   .help("add `expect` or `forbid` and a message"),
               false;
    p.after = append(out_.patterns, after);
    p.then = append(out_.patterns, then);
    return true;
}

bool Parser::property_clause(PropertySyntax& p, std::vector<PatternSyntax>& after,
                             std::vector<PatternSyntax>& then) {
    if (accept(TokenKind::kw_after)) return pattern(after.emplace_back());
    if (at(TokenKind::kw_expect) || at(TokenKind::kw_forbid)) {
        if (!then.empty()) return fail("only one `expect` or `forbid`", "alternatives are joined by `or`");
        p.forbid = take().kind == TokenKind::kw_forbid;
        do {
            if (!pattern(then.emplace_back())) return false;
        } while (accept(TokenKind::kw_or));
        return true;
    }
    if (accept(TokenKind::kw_within)) {
        if (!at(TokenKind::integer)) return duration(p.within);
        p.within = span_of(take());
        return true;
    }
    return fail_here("`after`, `expect`, `forbid` or `within`");
}

bool Parser::pattern(PatternSyntax& p) {
    std::uint32_t begin = peek().begin;
    bool read = expect_name(p.from, "a role") && expect(TokenKind::arrow, "`->`") &&
                expect_name(p.to, "a role") && expect(TokenKind::colon, "`:` and a message") &&
                expect_name(p.message, "a message", true);
    if (!read) return false;
    if (at(TokenKind::left_paren) && !arguments(p.arguments)) return false;
    if (accept(TokenKind::kw_where) && !expression(p.where)) return false;
    p.span = from(begin);
    return true;
}

}  // namespace treaty::lang
