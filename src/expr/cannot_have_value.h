// Whether an expression has no value, whatever the variables that are not known here turn out to be.
//
// `k + 1` cannot have one where k is the largest integer, and so neither can `n == k + 1`, with any n. What
// `and`, `or`, `implies` and `if` may leave out does not count. Exact if all variables of the expression are
// known; otherwise `false` says nothing.
// Cost: one evaluation for each part whose variables are known.
#pragma once

#include "expr/evaluate.h"

namespace treaty::expr {

bool cannot_have_value(const Pool& pool, ExprId expression, const Environment& known);
// Whether one of the conjuncts of the condition cannot have a value, so that the condition does not hold.
bool cannot_hold(const Pool& pool, ExprId condition, const Environment& known);

}  // namespace treaty::expr
