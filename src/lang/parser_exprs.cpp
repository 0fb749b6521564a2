// Expressions, by precedence climbing.
//
// One fault an expression: after it, expression_failed_ is set and the caller recovers at its step. The depth
// is bounded, so neither this nor any pass over the tree can exhaust the stack.
#include <optional>

#include <fmt/format.h>

#include "expr/operators.h"
#include "lang/codes.h"
#include "lang/parser_impl.h"

namespace treaty::lang {
namespace {

// The operator table's levels, as numbers to climb.
constexpr int number(expr::Level level) {
    return static_cast<int>(level);
}
constexpr int precedence_not = number(expr::Level::negation);
constexpr int precedence_comparison = number(expr::Level::comparison);
constexpr int precedence_update = number(expr::Level::update);
constexpr int precedence_sum = number(expr::Level::sum);
constexpr int precedence_product = number(expr::Level::product);

// What a token is between two operands. `+` also joins texts, which binds alike.
std::optional<expr::Op> binary_operator(TokenKind kind) {
    switch (kind) {
        case TokenKind::kw_implies: return expr::Op::implies;
        case TokenKind::kw_or: return expr::Op::logical_or;
        case TokenKind::kw_and: return expr::Op::logical_and;
        case TokenKind::equal: return expr::Op::equal;
        case TokenKind::not_equal: return expr::Op::not_equal;
        case TokenKind::less: return expr::Op::less;
        case TokenKind::less_equal: return expr::Op::less_equal;
        case TokenKind::greater: return expr::Op::greater;
        case TokenKind::greater_equal: return expr::Op::greater_equal;
        case TokenKind::kw_in: return expr::Op::member;
        case TokenKind::kw_permutes: return expr::Op::permutes;
        case TokenKind::kw_matches: return expr::Op::matches;
        case TokenKind::plus: return expr::Op::add;
        case TokenKind::minus: return expr::Op::subtract;
        case TokenKind::star: return expr::Op::multiply;
        case TokenKind::slash: return expr::Op::divide;
        case TokenKind::kw_mod: return expr::Op::modulo;
        default: return std::nullopt;
    }
}

// A value for the time of a block.
class Meanwhile {
public:
    Meanwhile(bool& variable, bool value) : variable_(variable), before_(variable) { variable = value; }
    ~Meanwhile() { variable_ = before_; }
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

private:
    bool& variable_;
    bool before_;
};

// 0: not a binary operator.
int precedence(TokenKind kind) {
    auto op = binary_operator(kind);
    return op ? number(expr::about(*op).level) : 0;
}

}  // namespace

bool Parser::expression(SyntaxExprId& out) {
    expression_failed_ = false;
    else_ends_ = false;
    out = parse_expression(1);
    bool read = !expression_failed_;
    expression_failed_ = false;
    if (read && at(TokenKind::assign) && !peek().first_on_line) {
        report(codes::assignment_in_expression, here(), "`=` does not compare").help("write `==`");
        return false;
    }
    return read;
}

bool Parser::sum(SyntaxExprId& out) {
    out = parse_expression(precedence_sum);
    bool read = !expression_failed_;
    expression_failed_ = false;
    return read;
}

SyntaxExprId Parser::add_expr(SyntaxExpr e, std::initializer_list<SyntaxExprId> children) {
    return add_expr(e, std::vector<SyntaxExprId>(children));
}

SyntaxExprId Parser::add_expr(SyntaxExpr e, const std::vector<SyntaxExprId>& children) {
    e.children = append(out_.expr_lists, children);
    out_.exprs.push_back(e);
    return SyntaxExprId(out_.exprs.size() - 1);
}

SyntaxExprId Parser::wrong(Span span) {
    expression_failed_ = true;
    SyntaxExpr e;
    e.span = span;
    return add_expr(e);
}

SyntaxExprId Parser::parse_expression(int least) {
    if (expression_depth_ >= max_expression_depth) {
        report(codes::nested_too_deeply, here(),
               fmt::format("expressions are nested deeper than {} levels", max_expression_depth))
            .help("move a part into a function");
        return wrong(here());
    }
    ++expression_depth_;
    SyntaxExprId left = parse_prefix();
    std::uint32_t chain = 0;
    while (!expression_failed_) {
        TokenKind op = kind();
        bool update = at_update();
        int p = update ? precedence_update : precedence(op);
        if (p == 0 || p < least) break;
        // An arrow never occurs in an expression: this `or` is between two patterns of a property.
        if (op == TokenKind::kw_or && kind(1) == TokenKind::name && kind(2) == TokenKind::arrow) break;
        // A chain of operators nests to the left; its length counts like depth, for the passes after this
        // one.
        if (++chain + expression_depth_ > max_expression_depth) {
            report(codes::nested_too_deeply, here(),
                   fmt::format("an expression is limited to {} operators in a row", max_expression_depth))
                .help("move a part into a function");
            left = wrong(here());
            break;
        }
        if (update) {
            left = parse_update(left);
            continue;
        }
        SyntaxExpr e;
        e.kind = SyntaxExprKind::binary;
        e.op = op;
        e.op_span = span_of(take());
        SyntaxExprId right;
        if (op == TokenKind::kw_matches) {
            if (!at(TokenKind::regex)) {
                fail("a pattern", "a pattern is written between slashes: name matches /[a-z]+/");
                left = wrong(here());
                break;
            }
            e.kind = SyntaxExprKind::matches;
            take();
            e.op_span = span_of(tokens_[next_ - 1]);
            e.span = base::cover(out_[left].span, e.op_span);
            left = add_expr(e, {left});
        } else {
            right = parse_expression(op == TokenKind::kw_implies ? p : p + 1);
            e.span = base::cover(out_[left].span, out_[right].span);
            left = add_expr(e, {left, right});
        }
        if (p == precedence_comparison && precedence(kind()) == precedence_comparison &&
            !expression_failed_) {
            report(codes::chained_comparison, here(), "comparisons do not chain")
                .help("write both with `and` between them: a < b and b < c");
            left = wrong(here());
        }
    }
    --expression_depth_;
    return left;
}

SyntaxExprId Parser::parse_prefix() {
    if (at(TokenKind::kw_not) || at(TokenKind::minus)) {
        SyntaxExpr e;
        e.kind = SyntaxExprKind::unary;
        e.op = kind();
        e.op_span = span_of(take());
        SyntaxExprId operand = e.op == TokenKind::kw_not ? parse_expression(precedence_not + 1)
                                                         : parse_expression(precedence_product + 1);
        e.span = base::cover(e.op_span, out_[operand].span);
        return add_expr(e, {operand});
    }
    if (at(TokenKind::kw_if)) return parse_if(take().begin);
    return parse_postfix(parse_primary());
}

SyntaxExprId Parser::parse_if(std::uint32_t begin) {
    SyntaxExprId condition = parse_expression(1);
    if (expression_failed_ || !expect(TokenKind::kw_then, "`then`")) return wrong(from(begin));
    SyntaxExprId then;
    {
        Meanwhile branch(else_ends_, true);
        then = parse_expression(1);
    }
    if (expression_failed_ || !expect(TokenKind::kw_else, "`else`",
                                      "in an expression, `if` needs both branches: if c then a else b"))
        return wrong(from(begin));
    SyntaxExprId otherwise = parse_expression(1);
    SyntaxExpr e;
    e.kind = SyntaxExprKind::if_else;
    e.span = from(begin);
    return add_expr(e, {condition, then, otherwise});
}

SyntaxExprId Parser::parse_postfix(SyntaxExprId operand) {
    for (std::uint32_t chain = 0; !expression_failed_; ++chain) {
        if (chain + expression_depth_ > max_expression_depth) {
            report(codes::nested_too_deeply, here(),
                   fmt::format("expressions are nested deeper than {} levels", max_expression_depth));
            return wrong(here());
        }
        SyntaxExpr e;
        if (at(TokenKind::left_bracket) && !peek().first_on_line) {
            operand = parse_index(operand);
        } else if (at(TokenKind::dot)) {
            e.kind = SyntaxExprKind::field;
            take();
            Name field;
            if (!expect_name(field, "a field", true)) return wrong(here());
            e.name = field.id;
            e.op_span = field.span;
            e.span = base::cover(out_[operand].span, field.span);
            operand = add_expr(e, {operand});
        } else {
            break;
        }
    }
    return operand;
}

SyntaxExprId Parser::omitted() {
    SyntaxExpr e;
    e.kind = SyntaxExprKind::omitted;
    e.span = after_previous();
    e.span.end = e.span.begin;
    return add_expr(e);
}

// xs[i], xs[a..b], xs[a..], xs[..b]
SyntaxExprId Parser::parse_index(SyntaxExprId operand) {
    Meanwhile inside(else_ends_, false);
    SyntaxExpr e;
    e.kind = SyntaxExprKind::index;
    e.op_span = span_of(take());
    SyntaxExprId first = at(TokenKind::dot_dot) ? omitted() : parse_expression(1);
    std::vector<SyntaxExprId> children{operand, first};
    if (!expression_failed_ && accept(TokenKind::dot_dot)) {
        e.kind = SyntaxExprKind::slice;
        children.push_back(at(TokenKind::right_bracket) ? omitted() : parse_expression(1));
    }
    if (expression_failed_ || !expect(TokenKind::right_bracket, "`]`")) return wrong(e.op_span);
    e.span = base::cover(out_[operand].span, from(e.op_span.begin));
    return add_expr(e, children);
}

// `else` inside `if c then` ends the branch. `with` and `without` are words only here: after an operand, on
// its line, no name can be.
bool Parser::at_update() const {
    if (at(TokenKind::kw_else)) return !else_ends_;
    return (at_word("with") || at_word("without")) && !peek().first_on_line && kind(1) != TokenKind::arrow;
}

// `all`, `any`, `count` and `fold` are words only before a name: two names in a row occur nowhere else.
bool Parser::at_quantifier() const {
    if (kind(1) != TokenKind::name) return false;
    return at_word("fold")
               ? kind(2) == TokenKind::assign
               : (at_word("all") || at_word("any") || at_word("count")) && kind(2) == TokenKind::kw_in;
}

// all x in xs: p
SyntaxExprId Parser::parse_quantifier() {
    if (at_word("fold")) return parse_fold();
    SyntaxExpr e;
    e.kind = at_word("all")   ? SyntaxExprKind::for_all
             : at_word("any") ? SyntaxExprKind::exists
                              : SyntaxExprKind::count;
    e.op_span = span_of(take());
    Name item;
    expect_name(item, "the name of an item");
    take();  // `in`
    SyntaxExprId collection = parse_expression(precedence_comparison + 1);
    if (expression_failed_ || !expect(TokenKind::colon, "`:` and a condition",
                                      "what is asked of each item comes after a colon: all x in xs: x > 0"))
        return wrong(e.op_span);
    SyntaxExprId condition = parse_expression(1);
    if (expression_failed_) return wrong(e.op_span);
    e.names = append(out_.names, std::vector<Name>{item});
    e.span = from(e.op_span.begin);
    return add_expr(e, {collection, condition});
}

// fold total = 0 for x in xs: total + x
SyntaxExprId Parser::parse_fold() {
    SyntaxExpr e;
    e.kind = SyntaxExprKind::fold;
    e.op_span = span_of(take());
    Name total, item;
    expect_name(total, "the name of the result so far");
    take();  // `=`
    SyntaxExprId start = parse_expression(precedence_comparison + 1);
    constexpr const char* hint = "for example fold total = 0 for x in xs: total + x";
    if (expression_failed_) return wrong(e.op_span);
    if (!at_word("for")) {
        fail("`for`", hint);
        return wrong(e.op_span);
    }
    take();
    if (!expect_name(item, "the name of an item") || !expect(TokenKind::kw_in, "`in`", hint))
        return wrong(e.op_span);
    SyntaxExprId collection = parse_expression(precedence_comparison + 1);
    if (expression_failed_ || !expect(TokenKind::colon, "`:` and the next result", hint))
        return wrong(e.op_span);
    SyntaxExprId next = parse_expression(1);
    if (expression_failed_) return wrong(e.op_span);
    e.names = append(out_.names, std::vector<Name>{total, item});
    e.span = from(e.op_span.begin);
    return add_expr(e, {start, collection, next});
}

// The rest of [f for x in xs if p], from `for` on.
SyntaxExprId Parser::parse_for(SyntaxExpr e, std::vector<SyntaxExprId> made, TokenKind close,
                               std::string_view end) {
    std::uint32_t begin = e.span.begin;
    take();  // `for`
    Name item;
    if (!expect_name(item, "the name of an item") ||
        !expect(TokenKind::kw_in, "`in` and a list, set or map", "for example [x + 1 for x in xs if x > 0]"))
        return wrong(from(begin));
    std::vector<SyntaxExprId> children{parse_expression(precedence_comparison + 1)};
    if (expression_failed_) return wrong(from(begin));
    children.insert(children.end(), made.begin(), made.end());
    children.push_back(accept(TokenKind::kw_if) ? parse_expression(1) : omitted());
    if (expression_failed_ || !expect(close, end)) return wrong(from(begin));
    e.kind = SyntaxExprKind::each;
    e.names = append(out_.names, std::vector<Name>{item});
    e.span = from(begin);
    return add_expr(e, children);
}

SyntaxExprId Parser::parse_update(SyntaxExprId operand) {
    SyntaxExpr e;
    e.kind = at(TokenKind::kw_else) ? SyntaxExprKind::otherwise
             : at_word("without")   ? SyntaxExprKind::without
                                    : SyntaxExprKind::with;
    e.op_span = span_of(take());
    std::vector<SyntaxExprId> children{operand};
    if (e.kind == SyntaxExprKind::with) {
        children.push_back(parse_expression(precedence_sum));
        if (expression_failed_ || !expect(TokenKind::assign, "`=` and the new value",
                                          "what changes comes first: list with 0 = x, point with y = 2"))
            return wrong(e.op_span);
    }
    children.push_back(parse_expression(precedence_sum));
    if (expression_failed_) return wrong(e.op_span);
    e.span = base::cover(out_[operand].span, out_[children.back()].span);
    return add_expr(e, children);
}

SyntaxExprId Parser::parse_primary() {
    Token token = peek();
    SyntaxExpr e;
    e.span = span_of(token);
    if (token.kind == TokenKind::kw_repeat && kind(1) == TokenKind::left_paren) {
        take();
        return parse_call({token.name, e.span});
    }
    switch (token.kind) {
        case TokenKind::integer: e.kind = SyntaxExprKind::integer; break;
        case TokenKind::real: e.kind = SyntaxExprKind::real; break;
        case TokenKind::string: e.kind = SyntaxExprKind::string; break;
        case TokenKind::bytes: e.kind = SyntaxExprKind::bytes; break;
        case TokenKind::kw_true:
        case TokenKind::kw_false:
            e.kind = SyntaxExprKind::boolean;
            e.op = token.kind;
            break;
        case TokenKind::kw_none: e.kind = SyntaxExprKind::none; break;
        case TokenKind::left_bracket: return parse_list(take().begin);
        case TokenKind::left_brace:
            if (begins_braces()) return parse_braces(take().begin);
            fail("an expression");
            return wrong(e.span);
        case TokenKind::left_paren: {
            take();
            Meanwhile inside(else_ends_, false);
            SyntaxExprId inner = parse_expression(1);
            if (expression_failed_ || !expect(TokenKind::right_paren, "`)`")) return wrong(from(token.begin));
            out_.exprs[inner.index].in_parens = true;
            return inner;
        }
        case TokenKind::name:
            if (token.first_on_line && kind(1) == TokenKind::arrow) {  // that is the next step
                fail("an expression");
                return wrong(e.span);
            }
            if (at_quantifier()) return parse_quantifier();
            take();
            if (at(TokenKind::left_paren) && !peek().first_on_line) return parse_call({token.name, e.span});
            e.kind = SyntaxExprKind::name;
            e.name = token.name;
            return add_expr(e);
        default:
            fail("an expression",
                 is_keyword(token.kind)
                     ? fmt::format("`{}` is a keyword and cannot be a name", names_.text(token.name))
                     : std::string());
            return wrong(e.span);
    }
    take();
    return add_expr(e);
}

SyntaxExprId Parser::parse_call(Name name) {
    take();  // `(`
    Meanwhile inside(else_ends_, false);
    SyntaxExpr e;
    e.kind = SyntaxExprKind::call;
    e.name = name.id;
    e.op_span = name.span;
    std::vector<SyntaxExprId> children;
    std::vector<Name> names;
    if (!at(TokenKind::right_paren)) {
        do {
            Name field{{}, here()};
            if (is_word(kind()) && kind(1) == TokenKind::assign) {
                expect_name(field, "a field", true);
                take();
            }
            names.push_back(field);
            children.push_back(parse_expression(1));
            if (expression_failed_) return wrong(name.span);
        } while (accept(TokenKind::comma));
    }
    if (!expect(TokenKind::right_paren, "`,` or `)`")) return wrong(name.span);
    e.span = from(name.span.begin);
    e.names = append(out_.names, names);
    return add_expr(e, children);
}

SyntaxExprId Parser::parse_list(std::uint32_t begin) {
    Meanwhile inside(else_ends_, false);
    SyntaxExpr e;
    e.kind = SyntaxExprKind::list;
    e.op = TokenKind::left_bracket;
    std::vector<SyntaxExprId> children;
    if (!at(TokenKind::right_bracket)) {
        do {
            children.push_back(parse_expression(1));
            if (expression_failed_) return wrong(from(begin));
            e.span = from(begin);
            if (children.size() == 1 && at_word("for"))
                return parse_for(e, children, TokenKind::right_bracket, "`if` or `]`");
        } while (accept(TokenKind::comma));
    }
    if (!expect(TokenKind::right_bracket, "`,` or `]`")) return wrong(from(begin));
    e.span = from(begin);
    return add_expr(e, children);
}

// A brace where an expression must be begins a set or a map, unless steps follow: then the expression is
// missing before a block.
bool Parser::begins_braces() const {
    TokenKind next = kind(1);
    if (next == TokenKind::right_brace) return true;
    if (is_keyword(next))
        return next == TokenKind::kw_true || next == TokenKind::kw_false || next == TokenKind::kw_none ||
               next == TokenKind::kw_not || (next == TokenKind::kw_if && kind(2) != TokenKind::left_brace);
    return next != TokenKind::name || (kind(2) != TokenKind::arrow && kind(2) != TokenKind::left_brace);
}

// {a, b}, {k: v}, {f for x in xs}, {k: v for x in xs}
SyntaxExprId Parser::parse_braces(std::uint32_t begin) {
    Meanwhile inside(else_ends_, false);
    SyntaxExpr e;
    e.kind = SyntaxExprKind::set;
    e.op = TokenKind::left_brace;
    std::vector<SyntaxExprId> children;
    bool first = true;
    while (!at(TokenKind::right_brace)) {
        children.push_back(parse_expression(1));
        if (expression_failed_) return wrong(from(begin));
        if (first && at(TokenKind::colon)) e.kind = SyntaxExprKind::map;
        if (e.kind == SyntaxExprKind::map) {
            if (!expect(TokenKind::colon, "`:` and the value of the key")) return wrong(from(begin));
            children.push_back(parse_expression(1));
            if (expression_failed_) return wrong(from(begin));
        }
        e.span = from(begin);
        if (first && at_word("for")) return parse_for(e, children, TokenKind::right_brace, "`if` or `}`");
        first = false;
        if (!accept(TokenKind::comma)) break;
    }
    if (!expect(TokenKind::right_brace, "`,` or `}`")) return wrong(from(begin));
    e.span = from(begin);
    return add_expr(e, children);
}

}  // namespace treaty::lang
