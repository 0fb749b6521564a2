// The simplest values that satisfy a condition, for people to read.
//
// Numbers nearest to zero, of two the positive one; texts and lists as short as can be, then their elements
// in order. Variables are made small one after the other, so the earlier ones decide. Cost: some dozens of
// questions to the solver for each variable; where it does not know, the value stays as it was found.
#pragma once

#include <functional>
#include <span>

#include "symbolic/logic.h"

namespace treaty::symbolic {

// Whether a condition is possible with what the solver assumes, and a model if so.
using Asking = std::function<solve::SolverAnswer(ExprId)>;

// Assumes, on the solver's current level, the smallest value that is possible with what is assumed; where
// more than that is asked for, `ask` says what is possible.
void assume_smallest(Logic& logic, VarId v);
void assume_smallest(Logic& logic, VarId v, const Asking& ask);

// The condition's model with these variables made small, the first ones first; the rest follows. As the
// solver's answer where the condition is not satisfiable or it is not known.
solve::SolverAnswer smallest_model(Logic& logic, ExprId condition, std::span<const VarId> order);

}  // namespace treaty::symbolic
