// A comparison as coefficient * z compared with the rest, where it is linear in z.
#pragma once

#include <cstdint>
#include <optional>

#include "expr/comparison.h"
#include "expr/pool.h"

namespace treaty::symbolic {

struct Linear {
    std::int64_t coefficient = 0;
    expr::ExprId rest;  // without z; the whole is coefficient * z + rest
};

// The expression as a linear one in z; nothing if it is not, or if its numbers grow too large.
std::optional<Linear> linear_in(expr::Pool& pool, expr::ExprId e, expr::VarId z);

struct Comparison {
    expr::Op op = expr::Op::equal;  // coefficient * z op bound, with a coefficient above 0
    std::int64_t coefficient = 1;
    expr::ExprId bound;
};

std::optional<Comparison> comparison_of(expr::Pool& pool, expr::ExprId atom, expr::VarId z);

// a * e, a + e as the pool writes them, for numbers of e's type.
expr::ExprId scaled(expr::Pool& pool, std::int64_t factor, expr::ExprId e);
expr::ExprId plus(expr::Pool& pool, expr::ExprId a, expr::ExprId b);
expr::ExprId minus(expr::Pool& pool, expr::ExprId a, expr::ExprId b);
expr::ExprId compare(expr::Pool& pool, expr::Op op, expr::ExprId a, expr::ExprId b);

}  // namespace treaty::symbolic
