// From constraints to domains: what a conjunct says about one variable when all others have values.
//
// Understood are comparisons of the variable (or a field of it, an element at a known place, its size, its
// sum, what it holds, itself plus or minus something, its letters made small or large) with something known;
// `in`, `permutes`, `matches`, `contains`, `starts_with`, `ends_with`; and the negations of these. What is
// not understood narrows nothing.
#pragma once

#include <span>
#include <vector>

#include "expr/domain.h"
#include "expr/evaluate.h"
#include "expr/pool.h"

namespace treaty::expr {

// The conjuncts of a condition, calls written out and negations pushed inwards as far as that says more.
std::vector<ExprId> conjuncts_of(Pool& pool, ExprId condition);

// Conditions of which one holds where this one does: the alternatives of a disjunction, of an implication, of
// a conjunction that is denied, and the sizes that size(x) may have; just itself for anything else.
std::vector<ExprId> alternatives_of(Pool& pool, ExprId condition);

// Narrows the variable's domain by the conjunct. Parts of it that need a variable without a value in the
// environment narrow nothing.
void narrow(const Pool& pool, Domain& domain, VarId variable, ExprId conjunct, const Environment& known);

}  // namespace treaty::expr
