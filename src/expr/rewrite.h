// One step of simplification at the root of an expression whose children are simple already.
//
// Returns the expression itself if no rule applies. The result means the same wherever the expression has
// no fault; its type may differ, which simplify.cpp checks.
#pragma once

#include "expr/pool.h"

namespace treaty::expr {

ExprId rewrite(Pool& pool, ExprId expression);

// The rules by kind of operator; same contract.
ExprId rewrite_logic(Pool& pool, ExprId expression);       // not, and, or, implies, if
ExprId rewrite_comparison(Pool& pool, ExprId expression);  // ==, !=, <, <=, >, >=
ExprId rewrite_arithmetic(Pool& pool, ExprId expression);  // -x, +, -, *, /, mod, abs, min, max
ExprId rewrite_data(Pool& pool, ExprId expression);        // lists, records, optionals, texts

}  // namespace treaty::expr
