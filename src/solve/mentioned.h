// Values that a condition speaks of, as candidates where no strategy fits.
#pragma once

#include <span>
#include <vector>

#include "expr/pool.h"

namespace treaty::solve {

// Values of the type made from the literals and patterns of the conditions: numbers and their neighbours,
// texts with their beginnings and ends, lists of few of these. The simplest first, without repeats, boundedly
// many.
std::vector<expr::Value> mentioned_values(const expr::Pool& pool, std::span<const expr::ExprId> conditions,
                                          expr::TypeId type);

}  // namespace treaty::solve
