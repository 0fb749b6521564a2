// What each role does of a graph, and all roles composed.
#pragma once

#include "symbolic/product.h"

namespace treaty::symbolic {

// The local graph of a role (Nguyen 2013, definition 6), silent steps absorbed: guards stay where the role
// sends, and where it knows what they ask.
SymbolicGraph local_graph(const SymbolicGraph& graph, model::RoleId role);

// The composition of all local graphs.
GraphResult composed(const SymbolicGraph& graph, const GraphLimits& limits = {});

}  // namespace treaty::symbolic
