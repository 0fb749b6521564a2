// Which variables of a protocol may be without a value, and how a computation sets one.
//
// `let y = 3 / x` with x = 0 leaves y without a value: nothing stops there, but whatever needs y has no value
// either (docs/semantics.md). Such a variable has a companion that is true if it has a value
// (expr/has_value.h). Everything that gives conditions and computations of a protocol to an engine calls
// note_presences() first, so that all of them speak of the same companions.
#pragma once

#include <vector>

#include "model/net.h"
#include "model/protocol.h"

namespace treaty::choreo {

// Gives a companion to each variable with a computation that may lack a value. Calling it again does nothing.
void note_presences(expr::Pool& pool, const model::Protocol& protocol);

// What `let variable = value` does, one assignment after the other: its companion first, if it has one.
std::vector<model::Assignment> computation(expr::Pool& pool, expr::VarId variable, expr::ExprId value);

// What else happens where an event binds a variable: its companion becomes true.
void add_bound_presences(expr::Pool& pool, const std::vector<model::Argument>& data,
                         std::vector<model::Assignment>& assignments);

}  // namespace treaty::choreo
