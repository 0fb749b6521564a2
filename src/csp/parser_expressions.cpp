// Two ladders of precedence: values below, processes above, with dots, communications and prefixes in
// between.

#include <charconv>

#include "csp/parser_impl.h"

namespace treaty::csp {

int Parser::process_level(const Token& token) {
    if (token.kind != TokenKind::symbol) return 0;
    std::string_view s = token.text;
    if (s == "\\") return 1;
    if (s == "|||" || s == "[|" || s == "[" || s == "[||") return 2;
    if (s == "|~|") return 3;
    if (s == "[]") return 4;
    if (s == "/\\") return 5;
    if (s == "[>") return 6;
    if (s == ";") return 7;
    return 0;
}

AstId Parser::process(int least) {
    Nest nest(*this);
    AstId left = prefixed();
    for (int operands = 1;; ++operands) {
        Token op = peek();
        int level = process_level(op);
        if (op.is("|") && peek(1).is("\\") && op.span.end == peek(1).span.begin)
            unsupported(op, "the projection `|\\`");
        if (level < least || level == 0) return left;
        check_chain(operands);
        take();
        left = binary_process(left, op, level);
    }
}

// Operands in a row make a tree as deep as the row is long.
void Parser::check_chain(int operands) {
    if (operands < max_chain) return;
    diagnostics_.report(codes::too_large, peek().span,
                        fmt::format("more than {} operands in a row", max_chain));
    throw Fault{};
}

AstId Parser::binary_process(AstId left, const Token& op, int level) {
    base::Span begin = syntax_[left].span;
    auto two = [&](Ast kind) {
        AstId right = process(level + 1);
        return make(kind, from(begin), {left, right});
    };
    if (op.text == "\\") return two(Ast::hide);
    if (op.text == "|||") return two(Ast::interleave);
    if (op.text == "|~|") return two(Ast::internal);
    if (op.text == "[]") return two(Ast::external);
    if (op.text == "/\\") return two(Ast::interrupt);
    if (op.text == "[>") return two(Ast::sliding);
    if (op.text == ";") return two(Ast::sequential);
    Angles angles(*this, false);
    if (op.text == "[|") {
        AstId set = dotted();
        bool exception = is("|>");
        if (!exception && !is("|]")) fail("`|]` or `|>`");
        take();
        AstId right = process(level + 1);
        return make(exception ? Ast::exception : Ast::parallel, from(begin), {left, set, right});
    }
    if (op.text == "[||") fail("the alphabet of the left side");
    if (peek().kind == TokenKind::name && peek(1).is("=")) unsupported(op, model_name(peek().text));
    if (is("+")) unsupported(op, "the synchronising choice `[+A+]`");
    if (linked_ahead()) {
        AstId pairs = links();
        AstId right = process(level + 1);
        return make(Ast::linked, from(begin), {left, pairs, right});
    }
    AstId first = dotted();
    expect("||");
    AstId second = dotted();
    expect("]");
    AstId right = process(level + 1);
    return make(Ast::alphabetised, from(begin), {left, first, second, right});
}

AstId Parser::prefixed() {
    Nest nest(*this);
    AstId left = dotted();
    std::vector<AstId> chosen;
    if (is("?") || is("!") || is("$")) left = communication(left, chosen);
    base::Span begin = syntax_[left].span;
    if (accept("->")) {
        AstId right = prefixed();
        AstId made = make(Ast::prefix, from(begin), {left, right});
        if (chosen.empty()) return made;
        auto count = static_cast<std::int64_t>(chosen.size());
        chosen.push_back(made);
        return make(Ast::replicated, from(begin), std::move(chosen), Op::internal, count);
    }
    if (syntax_[left].kind == Ast::communicate) fail("`->`");
    if (accept("&")) {
        AstId right = prefixed();
        return make(Ast::guard, from(begin), {left, right});
    }
    return left;
}

// What `$` selects is added to `chosen`, as generators of an internal choice around the whole prefix.
AstId Parser::communication(AstId channel, std::vector<AstId>& chosen) {
    base::Span begin = syntax_[channel].span;
    std::vector<AstId> kids{channel};
    bool inputs = false;
    while (is("?") || is("!") || is("$")) {
        Token sign = take();
        if (sign.text == "$") {
            if (inputs) unsupported(sign, "a selection `$` after an input `?`");
            do kids.push_back(selection(sign, kids, chosen));
            while (accept("."));
            continue;
        }
        inputs = inputs || sign.text == "?";
        if (sign.text == "!") {
            AstId e = dotted();
            kids.push_back(make(Ast::output, from(sign.span), {e}));
            continue;
        }
        // ?x.y takes two fields, each with its own pattern.
        do {
            std::vector<AstId> parts{value(10)};
            if (accept(":")) parts.push_back(value(10));
            kids.push_back(make(Ast::input, from(sign.span), std::move(parts)));
        } while (accept("."));
    }
    return make(Ast::communicate, from(begin), std::move(kids));
}

AstId Parser::selection(const Token& sign, const std::vector<AstId>& fields, std::vector<AstId>& chosen) {
    Token name = expect_name("a name after `$`");
    auto named = [&] {
        AstId made = make(Ast::name, name.span);
        syntax_.nodes[made.index].name = name_of(name);
        return made;
    };
    AstId set;
    if (accept(":")) {
        set = value(10);
    } else {
        std::vector<AstId> so_far{fields[0]};
        for (std::size_t i = 1; i < fields.size(); ++i) so_far.push_back(syntax_[fields[i]].kids[0]);
        AstId part = so_far.size() == 1 ? so_far[0] : make(Ast::dot, from(sign.span), std::move(so_far));
        bool last = !is("?") && !is("!") && !is("$") && !is(".");
        set = make(Ast::field_values, from(sign.span), {part}, Op::none, last ? 1 : 0);
    }
    AstId pattern = named();
    chosen.push_back(make(Ast::generator, from(sign.span), {pattern, set}));
    AstId use = named();
    return make(Ast::output, from(sign.span), {use});
}

// c <-> d, e <-> f | i <- S ], after the bracket that opens it.
AstId Parser::links() {
    base::Span begin = peek().span;
    std::vector<AstId> kids;
    do {
        AstId left = dotted();
        expect("<->");
        AstId right = dotted();
        kids.push_back(make(Ast::replace, from(syntax_[left].span), {left, right}));
    } while (accept(","));
    auto pairs = static_cast<std::int64_t>(kids.size());
    if (accept("|")) qualifiers(kids);
    expect("]");
    return make(Ast::links, from(begin), std::move(kids), Op::none, pairs);
}

// Whether `<->` comes before the bracket closes: then this is not an alphabet.
bool Parser::linked_ahead() const {
    int open = 0;
    for (std::size_t i = 0; peek(i).kind != TokenKind::end; ++i) {
        const Token& token = peek(i);
        if (token.is("(") || token.is("{") || token.is("{|") || token.is("[")) ++open;
        if (token.is(")") || token.is("}") || token.is("|}") || token.is("]")) --open;
        if (open < 0 || (open == 0 && token.is("||"))) return false;
        if (open == 0 && token.is("<->")) return true;
    }
    return false;
}

AstId Parser::dotted() {
    AstId first = value(10);
    if (!is(".")) return first;
    std::vector<AstId> parts{first};
    while (accept(".")) parts.push_back(value(10));
    base::Span span = from(syntax_[first].span);
    return make(Ast::dot, span, std::move(parts));
}

int Parser::value_level(const Token& token, Op& op) const {
    struct Row {
        std::string_view text;
        int level;
        Op op;
    };
    static constexpr Row rows[] = {
        {"or", 10, Op::logical_or}, {"and", 11, Op::logical_and}, {"==", 13, Op::equal},
        {"!=", 13, Op::unequal},    {"<=", 13, Op::at_most},      {">=", 13, Op::at_least},
        {"<", 13, Op::less},        {">", 13, Op::greater},       {"+", 14, Op::add},
        {"-", 14, Op::subtract},    {"*", 15, Op::multiply},      {"/", 15, Op::divide},
        {"%", 15, Op::modulo},      {"^", 16, Op::concatenate},
    };
    for (const Row& row : rows) {
        if (!token.is(row.text)) continue;
        if (row.op == Op::greater && angle_closes_) return 0;
        op = row.op;
        return row.level;
    }
    return 0;
}

AstId Parser::value(int least) {
    Nest nest(*this);
    AstId left = unary();
    for (int operands = 1;; ++operands) {
        Op op = Op::none;
        int level = value_level(peek(), op);
        if (level < least || level == 0 || sequence_defined_ahead()) break;
        check_chain(operands);
        if (op == Op::divide && peek(1).is("+")) unsupported(peek(), "the synchronising interrupt `/+A+\\`");
        take();
        AstId right = value(level + 1);
        left = make(Ast::binary, from(syntax_[left].span), {left, right}, op);
    }
    if (accept("@@")) {
        AstId right = value(10);
        left = make(Ast::both, from(syntax_[left].span), {left, right});
    }
    return left;
}

// `<a, b> = e` on a new line is a definition, not a comparison that goes on.
bool Parser::sequence_defined_ahead() const {
    if (!peek().is("<") || !peek().starts_line) return false;
    std::size_t open = 0, ahead = 0;
    do {
        const Token& token = peek(ahead);
        if (token.kind == TokenKind::end || token.is("=")) return false;
        if (token.is("<")) ++open;
        if (token.is(">")) --open;
        ++ahead;
    } while (open > 0);
    while (peek(ahead).is("^") || peek(ahead).kind == TokenKind::name) ++ahead;
    return peek(ahead).is("=");
}

AstId Parser::unary() {
    Token token = peek();
    auto one = [&](Ast kind, int level) {
        take();
        AstId of = value(level);
        return make(kind, from(token.span), {of});
    };
    if (token.is("not")) return one(Ast::logical_not, 13);
    if (token.is("-")) return one(Ast::negate, 16);
    if (token.is("#")) return one(Ast::length, 17);
    return postfix();
}

AstId Parser::postfix() {
    AstId left = primary();
    for (int operands = 1;; ++operands) {
        check_chain(operands);
        // A bracket on a new line at the margin begins something else.
        const Token& next = peek();
        if (next.is("(") && !next.starts_line) {
            base::Span begin = syntax_[left].span;
            take();
            Angles angles(*this, false);
            std::vector<AstId> kids{left};
            std::vector<AstId> arguments = list(")");
            kids.insert(kids.end(), arguments.begin(), arguments.end());
            left = make(Ast::apply, from(begin), std::move(kids));
        } else if (next.is("[[")) {
            left = renaming(left);
        } else {
            return left;
        }
    }
}

AstId Parser::renaming(AstId of) {
    base::Span begin = syntax_[of].span;
    take();
    Angles angles(*this, false);
    std::vector<AstId> kids{of};
    std::int64_t pairs = 0;
    do {
        AstId old_name = dotted();
        expect("<-");
        AstId new_name = dotted();
        kids.push_back(make(Ast::replace, from(syntax_[old_name].span), {old_name, new_name}));
        ++pairs;
    } while (accept(","));
    if (accept("|")) qualifiers(kids);
    expect("]]");
    return make(Ast::rename, from(begin), std::move(kids), Op::none, pairs);
}

std::vector<AstId> Parser::list(std::string_view close) {
    std::vector<AstId> found;
    if (accept(close)) return found;
    do found.push_back(expression());
    while (accept(","));
    expect(close);
    return found;
}

AstId Parser::primary() {
    Token token = peek();
    switch (token.kind) {
        case TokenKind::number: take(); return number(token);
        case TokenKind::name: {
            take();
            if (token.text == "_") return make(Ast::wildcard, token.span);
            AstId made = make(Ast::name, token.span);
            syntax_.nodes[made.index].name = name_of(token);
            return made;
        }
        case TokenKind::text: take(); return text(token);
        case TokenKind::end: fail("an expression");
        case TokenKind::symbol:
        case TokenKind::keyword: break;
    }
    if (token.is("true") || token.is("false")) {
        take();
        return make(Ast::boolean, token.span, {}, Op::none, token.text == "true");
    }
    if (token.is("(")) return bracketed(token);
    if (token.is("<")) return sequence(token);
    if (token.is("{")) return set(token);
    if (token.is("{|")) return productions(token);
    if (token.is("if")) return conditional(token);
    if (token.is("let")) return let(token);
    if (token.is("\\")) return lambda(token);
    for (std::string_view op : {"[]", "|~|", "|||", "||", ";", "[|", "["})
        if (token.is(op)) return replicated(token);
    fail("an expression");
}

AstId Parser::number(const Token& token) {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc()) {
        diagnostics_.report(codes::too_large, token.span, "this number is too large");
        throw Fault{};
    }
    return make(Ast::integer, token.span, {}, Op::none, value);
}

// "text", or one character in single quotes.
AstId Parser::text(const Token& token) {
    char quote = token.text[0];
    std::string_view written = token.text.substr(1);
    if (written.ends_with(quote)) written.remove_suffix(1);
    std::vector<AstId> letters;
    for (std::size_t i = 0; i < written.size(); ++i) {
        char c = written[i];
        if (c == '\\' && i + 1 < written.size()) {
            c = written[++i];
            if (c == 'n') c = '\n';
            if (c == 't') c = '\t';
        }
        letters.push_back(make(Ast::character, token.span, {}, Op::none, static_cast<unsigned char>(c)));
    }
    bool string = quote == '"' || letters.size() != 1;
    return string ? make(Ast::sequence, token.span, std::move(letters)) : letters.front();
}

AstId Parser::bracketed(const Token& open) {
    take();
    if (is("|")) unsupported(open, "a map");
    Angles angles(*this, false);
    std::vector<AstId> parts = list(")");
    if (parts.size() == 1) return parts[0];
    return make(Ast::tuple, from(open.span), std::move(parts));
}

AstId Parser::sequence(const Token& open) {
    take();
    Angles angles(*this, true);
    if (accept(">")) return make(Ast::sequence, from(open.span));
    std::vector<AstId> parts{dotted()};
    if (accept("..")) {
        if (!is(">")) parts.push_back(dotted());
        expect(">");
        return make(Ast::sequence_range, from(open.span), std::move(parts));
    }
    while (accept(",")) parts.push_back(dotted());
    if (accept("|")) {
        auto heads = static_cast<std::int64_t>(parts.size());
        qualifiers(parts);
        expect(">");
        return make(Ast::sequence_of, from(open.span), std::move(parts), Op::none, heads);
    }
    expect(">");
    return make(Ast::sequence, from(open.span), std::move(parts));
}

AstId Parser::set(const Token& open) {
    take();
    Angles angles(*this, false);
    if (accept("}")) return make(Ast::set, from(open.span));
    std::vector<AstId> parts{expression()};
    if (accept("..")) {
        if (!is("}")) parts.push_back(dotted());
        expect("}");
        return make(Ast::set_range, from(open.span), std::move(parts));
    }
    while (accept(",")) parts.push_back(expression());
    if (accept("|")) {
        auto heads = static_cast<std::int64_t>(parts.size());
        qualifiers(parts);
        expect("}");
        return make(Ast::set_of, from(open.span), std::move(parts), Op::none, heads);
    }
    expect("}");
    return make(Ast::set, from(open.span), std::move(parts));
}

AstId Parser::productions(const Token& open) {
    take();
    Angles angles(*this, false);
    std::vector<AstId> parts;
    if (!is("|}")) {
        do parts.push_back(dotted());
        while (accept(","));
    }
    auto elements = static_cast<std::int64_t>(parts.size());
    if (accept("|")) qualifiers(parts);
    expect("|}");
    return make(Ast::events_of, from(open.span), std::move(parts), Op::none, elements);
}

AstId Parser::qualifier() {
    AstId left = dotted();
    if (!is("<-") && !is(":")) return left;
    take();
    AstId of = dotted();
    return make(Ast::generator, from(syntax_[left].span), {left, of});
}

void Parser::qualifiers(std::vector<AstId>& into) {
    do into.push_back(qualifier());
    while (accept(","));
}

AstId Parser::conditional(const Token& open) {
    take();
    AstId condition = expression();
    expect("then");
    AstId yes = expression();
    expect("else");
    AstId no = expression();
    return make(Ast::choose, from(open.span), {condition, yes, no});
}

AstId Parser::let(const Token& open) {
    take();
    Angles angles(*this, false);
    Declarations declarations;
    while (!is("within")) {
        for (std::string_view word : {"channel", "datatype", "nametype", "assert", "transparent"})
            if (is(word)) unsupported(peek(), fmt::format("`{}` inside `let`", word));
        definition(declarations);
    }
    take();
    AstId body = expression();
    syntax_.lets.push_back(std::move(declarations));
    return make(Ast::let, from(open.span), {body}, Op::none,
                static_cast<std::int64_t>(syntax_.lets.size() - 1));
}

AstId Parser::lambda(const Token& open) {
    take();
    std::vector<AstId> kids;
    do kids.push_back(dotted());
    while (accept(","));
    expect("@");
    kids.push_back(expression());
    return make(Ast::lambda, from(open.span), std::move(kids));
}

AstId Parser::replicated(const Token& open) {
    take();
    Angles angles(*this, false);
    Op op = open.text == "[]"    ? Op::external
            : open.text == "|~|" ? Op::internal
            : open.text == "|||" ? Op::interleave
            : open.text == "||"  ? Op::alphabetised
            : open.text == ";"   ? Op::sequential
            : open.text == "["   ? Op::linked
                                 : Op::parallel;
    AstId set;
    if (op == Op::parallel) {
        set = dotted();
        expect("|]");
    }
    if (op == Op::linked) set = links();
    std::vector<AstId> kids;
    qualifiers(kids);
    auto count = static_cast<std::int64_t>(kids.size());
    expect("@");
    if (op == Op::alphabetised) {
        expect("[");
        set = dotted();
        expect("]");
    }
    if (set) kids.push_back(set);
    kids.push_back(expression());
    return make(Ast::replicated, from(open.span), std::move(kids), op, count);
}

}  // namespace treaty::csp
