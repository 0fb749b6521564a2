#include "symbolic/linear.h"

#include <algorithm>

#include "expr/simplify.h"

namespace treaty::symbolic {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Pool;

constexpr std::int64_t max_coefficient = 1'000'000;

std::optional<std::int64_t> integer_of(const Pool& pool, ExprId e) {
    if (!pool.is_literal(e)) return std::nullopt;
    if (auto* x = std::get_if<std::int64_t>(&pool.literal_of(e).v)) return *x;
    return std::nullopt;
}

bool mentions(const Pool& pool, ExprId e, expr::VarId z) {
    auto variables = pool.variables_of(e);
    return std::binary_search(variables.begin(), variables.end(), z);
}

std::optional<Linear> bounded(Linear l) {
    if (l.coefficient > max_coefficient || l.coefficient < -max_coefficient) return std::nullopt;
    return l;
}

std::optional<Linear> product(Pool& pool, ExprId a, ExprId b, expr::VarId z) {
    auto factor = integer_of(pool, a);
    if (!factor) return std::nullopt;
    auto l = linear_in(pool, b, z);
    if (!l || *factor > max_coefficient || *factor < -max_coefficient) return std::nullopt;
    return bounded({*factor * l->coefficient, scaled(pool, *factor, l->rest)});
}

}  // namespace

ExprId plus(Pool& pool, ExprId a, ExprId b) {
    ExprId parts[] = {a, b};
    return expr::simplify(pool, pool.make(Op::add, pool.types().base(pool[a].type), parts));
}

ExprId minus(Pool& pool, ExprId a, ExprId b) {
    ExprId parts[] = {a, b};
    return expr::simplify(pool, pool.make(Op::subtract, pool.types().base(pool[a].type), parts));
}

ExprId scaled(Pool& pool, std::int64_t factor, ExprId e) {
    if (factor == 1) return e;
    if (factor == 0) return minus(pool, e, e);
    expr::TypeId type = pool.types().base(pool[e].type);
    if (factor == -1) {
        ExprId parts[] = {e};
        return expr::simplify(pool, pool.make(Op::negate, type, parts));
    }
    bool real = pool.types().kind(type) == expr::TypeKind::real;
    ExprId parts[] = {real ? pool.literal(static_cast<double>(factor), type) : pool.integer(factor), e};
    return expr::simplify(pool, pool.make(Op::multiply, type, parts));
}

ExprId compare(Pool& pool, Op op, ExprId a, ExprId b) {
    ExprId parts[] = {a, b};
    return expr::simplify(pool, pool.make(op, pool.types().boolean(), parts));
}

std::optional<Linear> linear_in(Pool& pool, ExprId e, expr::VarId z) {
    if (pool[e].op == Op::var && pool.var_of(e) == z) return Linear{1, minus(pool, e, e)};
    if (!mentions(pool, e, z)) return Linear{0, e};
    Op op = pool[e].op;
    std::vector<ExprId> c(pool.children(e).begin(), pool.children(e).end());
    if (op == Op::negate) {
        auto l = linear_in(pool, c[0], z);
        if (!l) return std::nullopt;
        return Linear{-l->coefficient, scaled(pool, -1, l->rest)};
    }
    if (op == Op::add || op == Op::subtract) {
        auto a = linear_in(pool, c[0], z), b = linear_in(pool, c[1], z);
        if (!a || !b) return std::nullopt;
        if (op == Op::add) return bounded({a->coefficient + b->coefficient, plus(pool, a->rest, b->rest)});
        return bounded({a->coefficient - b->coefficient, minus(pool, a->rest, b->rest)});
    }
    if (op == Op::multiply) {
        if (auto l = product(pool, c[0], c[1], z)) return l;
        return product(pool, c[1], c[0], z);
    }
    return std::nullopt;
}

std::optional<Comparison> comparison_of(Pool& pool, ExprId atom, expr::VarId z) {
    Op op = pool[atom].op;
    if (!expr::is_comparison(op)) return std::nullopt;
    std::vector<ExprId> sides(pool.children(atom).begin(), pool.children(atom).end());
    expr::TypeKind kind = pool.types().kind(pool[sides[0]].type);
    auto is_z = [&](ExprId e) { return pool[e].op == Op::var && pool.var_of(e) == z; };
    if (is_z(sides[0]) && !mentions(pool, sides[1], z)) return Comparison{op, 1, sides[1]};
    if (is_z(sides[1]) && !mentions(pool, sides[0], z)) return Comparison{expr::mirrored(op), 1, sides[0]};
    if (kind != expr::TypeKind::integer && kind != expr::TypeKind::real) return std::nullopt;
    auto a = linear_in(pool, sides[0], z), b = linear_in(pool, sides[1], z);
    if (!a || !b) return std::nullopt;
    std::int64_t coefficient = a->coefficient - b->coefficient;
    if (coefficient > 0) return Comparison{op, coefficient, minus(pool, b->rest, a->rest)};
    if (coefficient < 0) return Comparison{expr::mirrored(op), -coefficient, minus(pool, a->rest, b->rest)};
    return Comparison{op, 0, minus(pool, b->rest, a->rest)};  // z cancels out: 0 op bound
}

}  // namespace treaty::symbolic
