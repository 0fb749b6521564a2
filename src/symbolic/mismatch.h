// A run on which implementation and specification come apart, out of the conditions that were found.
#pragma once

#include <functional>
#include <utility>

#include "symbolic/conformance.h"
#include "symbolic/pair_equations.h"

namespace treaty::symbolic {

// The condition that was known of a pair before a moment, and when it became known.
using History = std::function<std::pair<ExprId, std::size_t>(StatePair, std::size_t)>;

// Expects that the condition of the initial pair is not true for all values. Each step goes to a pair that
// was known to be wrong earlier, so the run ends where the first reason is.
Mismatch find_mismatch(PairEquations& equations, Logic& logic, const History& history);

}  // namespace treaty::symbolic
