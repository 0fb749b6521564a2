// Where an expression has a value, as a condition that always has one itself.
//
// Divisions need a divisor other than zero, xs[i] an index inside the list, value(o) something in the
// optional. `and`, `or`, `implies` and `if` ask only for what they look at, as evaluate() does. Results
// beyond 64 bits are left out: where they matter, evaluate() decides.
#pragma once

#include "expr/pool.h"

namespace treaty::expr {

ExprId defined(Pool& pool, ExprId expression);

// That the condition does not hold: it is false, or has no value. (`not c` has no value where c has none.)
ExprId refuted(Pool& pool, ExprId condition);

}  // namespace treaty::expr
