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

// 0: not a binary operator.
int precedence(TokenKind kind) {
    auto op = binary_operator(kind);
    return op ? number(expr::about(*op).level) : 0;
}

}  // namespace

bool Parser::expression(SyntaxExprId& out) {
    expression_failed_ = false;
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
        int p = precedence(op);
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
    SyntaxExprId then = parse_expression(1);
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
            e.kind = SyntaxExprKind::index;
            e.op_span = span_of(take());
            SyntaxExprId index = parse_expression(1);
            if (expression_failed_ || !expect(TokenKind::right_bracket, "`]`")) return wrong(e.op_span);
            e.span = base::cover(out_[operand].span, from(e.op_span.begin));
            operand = add_expr(e, {operand, index});
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

SyntaxExprId Parser::parse_primary() {
    Token token = peek();
    SyntaxExpr e;
    e.span = span_of(token);
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
        case TokenKind::left_paren: {
            take();
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
    SyntaxExpr e;
    e.kind = SyntaxExprKind::list;
    std::vector<SyntaxExprId> children;
    if (!at(TokenKind::right_bracket)) {
        do {
            children.push_back(parse_expression(1));
            if (expression_failed_) return wrong(from(begin));
        } while (accept(TokenKind::comma));
    }
    if (!expect(TokenKind::right_bracket, "`,` or `]`")) return wrong(from(begin));
    e.span = from(begin);
    return add_expr(e, children);
}

}  // namespace treaty::lang
