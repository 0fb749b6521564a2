// The translation of one operator, its operands being translated.
#pragma once

#include <span>

#include "expr/pool.h"
#include "solve/solver_translate.h"

namespace treaty::solve::smt {

// Every operator but literal, var and call. Throws Untranslatable.
Translation translate_operator(const expr::Pool& pool, const Terms& terms, expr::ExprId id,
                               std::span<const Translation* const> operands);

// Both conditions; none means always.
std::optional<z3::expr> both(const std::optional<z3::expr>& a, const std::optional<z3::expr>& b);

}  // namespace treaty::solve::smt
