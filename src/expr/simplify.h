// A smaller expression with the same meaning, for reading and for fewer solver calls.
//
// Constant folding, neutral and absorbing elements, double negation, comparisons of equal terms,
// nested if, duplicate conjuncts. Evaluation of the result equals that of the input wherever the input
// evaluates without a fault; a fault may disappear but never appears.
#pragma once

#include "expr/pool.h"

namespace treaty::expr {

ExprId simplify(Pool& pool, ExprId expression);

}  // namespace treaty::expr
