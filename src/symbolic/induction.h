// Conformance proved by a guess: facts about the variables of both graphs that every joint step preserves.
//
// Where computing the conditions of a loop does not come to rest (a counter compared with a bound that was
// received, say), facts are guessed for each pair of states: comparisons of its variables with each other,
// with constants of the graphs, at constant distances, and with sums of two. What some joint step does not
// preserve is dropped, until the rest is preserved by all. If what is left satisfies the equations of
// conformance (it implies the right side with itself in place of the conditions), it is a solution; the
// greatest solution is weaker still, so the pair it says nothing about, the initial one, conforms. Nothing
// rests on the guess being a good one: a bad one proves nothing. Cost: solver queries in proportion to pairs
// of edges times facts dropped.
#pragma once

#include <vector>

#include "base/limits.h"
#include "symbolic/logic.h"
#include "symbolic/pair_equations.h"

namespace treaty::symbolic {

// True if the first of the pairs conforms whatever the values; false if the guess does not show it. The pairs
// are all that the first one leads to.
bool proved_by_induction(PairEquations& equations, Logic& logic, const std::vector<StatePair>& pairs,
                         const base::Deadline& deadline);

}  // namespace treaty::symbolic
